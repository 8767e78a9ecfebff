/** The element of the page with an id. @throws Error when there is none of that type */
export const find = <E extends HTMLElement>(id: string, type: new () => E): E =>
  within(document, `#${id}`, type);

/** The first element in a place that a selector matches. @throws Error when there is none of that type */
export function within<E extends HTMLElement>(place: ParentNode, selector: string, type: new () => E): E {
  const element = place.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`the page has no ${type.name} ${selector}`);
  return element;
}
