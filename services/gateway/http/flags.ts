/** Whether a boolean of the query is set: present without a value, or with one that means true. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && ['', 'true', '1', 'yes'].includes(value.toLowerCase());
}
