// The page's own colours follow the system; the interface's come with a class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyColours = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
applyColours();
dark.addEventListener('change', applyColours);

globalThis.SwaggerUIBundle({
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
});
