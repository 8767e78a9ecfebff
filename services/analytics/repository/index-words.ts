import type { AccessFilter } from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';

/**
 * Characters of a path that are indexed. A path may be longer than an entry of an index. `indexedWords` has the number written out:
 * with a parameter it would not be the expression of the index.
 */
const PATH_CHARACTERS = 100;

/**
 * The words of a row that filters look up: its client address, its path, and the item it met. The view `access_rows` has the
 * very expression. One inverted index of them costs a write a third of three B-trees, as PostgreSQL gathers new words in a list
 * and puts them in place together.
 */
export const indexedWords = (sql: Query) => sql`
  array_to_tsvector(array[
    'c' || client_ip, 'p' || left(path, 100), coalesce('r' || resource_namespace || '/' || resource_id, 'r')
  ])`;

/**
 * Conditions on rows that indexes answer. Conditions on words leave in more than the filter does; a client may be another than
 * the row's own.
 */
export function hasWordsOf(
  sql: Query,
  { clientIp, pathPrefix, resource }: Pick<AccessFilter, 'clientIp' | 'pathPrefix' | 'resource'>,
) {
  const wanted: string[] = [];
  if (pathPrefix !== null) wanted.push(`${quoted(`p${beginning(pathPrefix)}`)}:*`);
  if (resource !== null && resource.isAlsoId !== true) {
    const { namespace, id } = resource;
    wanted.push(id === null ? `${quoted(`r${namespace}/`)}:*` : quoted(`r${namespace}/${id}`));
  }
  const has = (query: string) => sql`words @@ ${query}::text::tsquery`;
  return sql`
    ${wanted.length === 0 ? sql`` : sql`and ${has(wanted.join(' & '))}`}
    ${
      clientIp === null
        ? sql``
        : sql`
and (${has(quoted(`c${clientIp}`))} or client_ips @> array[${clientIp}::text])`
    }`;
}

const beginning = (prefix: string): string => [...prefix].slice(0, PATH_CHARACTERS).join('');

/** A text as one word of a tsquery, whatever it holds. */
const quoted = (text: string): string => `'${text.replace(/['\\]/g, '$&$&')}'`;
