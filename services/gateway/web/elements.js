// @ts-check

/**
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} type
 * @returns {E}
 */
export function find(id, type) {
  return within(document, `#${id}`, type);
}

/**
 * @template {HTMLElement} E
 * @param {ParentNode} place
 * @param {string} selector
 * @param {new () => E} type
 * @returns {E}
 */
export function within(place, selector, type) {
  const element = place.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`the page has no ${type.name} ${selector}`);
  return element;
}
