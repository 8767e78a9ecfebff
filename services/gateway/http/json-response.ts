/** An answer of JSON that has been written already. */
export const jsonText = (text: string, headers: Record<string, string>): Response =>
  new Response(text, { headers: { 'Content-Type': 'application/json;charset=utf-8', ...headers } });
