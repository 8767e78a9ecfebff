/** Whether this is a page or a worker of a browser, where the browser names the client and sends bodies its own way. */
export const IN_BROWSER =
  'document' in globalThis || ('WorkerGlobalScope' in globalThis && !('Deno' in globalThis));
