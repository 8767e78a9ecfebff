/** A declaration with its value in quotes, or a comment or instruction, in which none counts. Either may lack its end. */
const DECLARATION =
  /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!ENTITY\s+(%\s+)?([^\s%"'<>]+)\s+(?:"([^"]*)"|'([^']*)')/g;

const REFERENCE = /&([^\s&;]+);/g;

/** Entities within entities that are looked into. */
const MAX_LEVELS = 8;

/** As far as the parser of most browsers (libxml2) goes before it takes the text for an attack. */
const maxCharacters = (text: string): number => 1_000_000 + 5 * text.length;

/**
 * XML with the entities that its document type declares put in place of their references; `null`: there is nothing to put in.
 * Parameter entities are not looked into.
 */
export function withOwnEntities(text: string): string | null {
  const entities = declaredIn(text);
  if (entities.size === 0) return null;
  let left = maxCharacters(text);
  const replace = (reference: string, name: string): string => {
    const value = entities.get(name);
    if (value === undefined || value.length > left) return reference;
    left -= value.length;
    return value;
  };
  let expanded = text;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const next = expanded.replace(REFERENCE, replace);
    if (next === expanded) break;
    expanded = next;
  }
  return expanded === text ? null : expanded;
}

/** The first declaration of a name counts. */
function declaredIn(text: string): Map<string, string> {
  const entities = new Map<string, string>();
  for (const [, parameter, name, double, single] of text.matchAll(DECLARATION))
    if (parameter === undefined && name !== undefined && !entities.has(name))
      entities.set(name, withCharacters(double ?? single ?? ''));
  return entities;
}

/** A value as it counts: references to characters are resolved where it is declared. */
const withCharacters = (value: string): string =>
  value.replace(/&#(?:x([\da-f]+)|(\d+));/gi, (reference, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : reference;
  });
