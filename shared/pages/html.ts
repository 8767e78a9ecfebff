const safe = Symbol('safe HTML');

/** HTML that is inserted as it is: made by {@link html}, or vouched for by {@link trusted}. */
export interface SafeHtml {
  readonly [safe]: string;
  toString(): string;
}

export type HtmlValue = SafeHtml | string | number | boolean | null | undefined | readonly HtmlValue[];

/**
 * Template tag for HTML. Values are escaped for text and for quoted attributes; arrays are joined;
 * `null`, `undefined` and booleans give nothing, so that `condition && html…` reads well.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): SafeHtml {
  return trusted(strings.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

/** Marks a string as HTML. The caller answers for it: constants, and output of the sanitiser. */
export function trusted(markup: string): SafeHtml {
  return { [safe]: markup, toString: () => markup };
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined || typeof value === 'boolean') return '';
  if (typeof value === 'string') return Bun.escapeHTML(value);
  if (typeof value === 'number') return String(value);
  return isSafe(value) ? value[safe] : value.map(render).join('');
}

function isSafe(value: SafeHtml | readonly HtmlValue[]): value is SafeHtml {
  return safe in value;
}
