/** A boolean of the query: there with no value, or with one that says yes. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && ['', 'true', '1', 'yes'].includes(value.toLowerCase());
}
