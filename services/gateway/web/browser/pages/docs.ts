import { descriptions, resolveSubtree } from '../swagger-plugins.ts';

interface SwaggerRequest {
  body?: unknown;
}

/** The global of `swagger-ui-bundle.js`, which the page loads before this script. */
declare const SwaggerUIBundle: (options: Record<string, unknown>) => void;

// The page's own colours follow the system; the interface's come with a class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyColours = (): void => {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
};
applyColours();
dark.addEventListener('change', applyColours);

SwaggerUIBundle({
  url: '/docs/json',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
  // Else it would look for settings, and other documents, in the page's address.
  queryConfigEnabled: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  filter: true,
  plugins: [() => ({ fn: { resolveSubtree } }), descriptions],
  requestInterceptor: withoutBlanks,
  onComplete: nameFilter,
});

/** Fields of a form that nobody filled in are sent all the same, and a blank part is not the file that was left out. */
function withoutBlanks(request: SwaggerRequest): SwaggerRequest {
  const { body } = request;
  if (!(body instanceof FormData)) return request;
  for (const name of new Set(body.keys()))
    if (body.getAll(name).every((value) => value === '')) body.delete(name);
  return request;
}

/** Labels Swagger UI's filter field, which has no label of its own. */
function nameFilter(): void {
  document.querySelector('.operation-filter-input')?.setAttribute('aria-label', 'Filter by tag or path');
}
