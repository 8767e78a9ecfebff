import { Type } from '@sinclair/typebox';
import { GALLERY_SORTS, SEARCH_CHARACTERS } from '../../../../shared/contracts/gallery.ts';
import { MAX_HISTORY_DAYS } from '../../../../shared/contracts/item-views.ts';
import { HISTORY_RANGES } from '../../../../shared/contracts/stats.ts';
import { KINDS, LIMITS } from '../../../../shared/items/item.ts';
import { MAX_PAGE } from '../../http/parameters.ts';
import type { Parameter } from '../operation.ts';
import { flag, inQuery, line, NAMESPACE_NAME, oneOf, upTo } from './parts.ts';

/** Which items are listed. */
export const LISTS = {
  ListNamespace: inQuery(
    'ns',
    'Of which namespace.',
    Type.String({ ...NAMESPACE_NAME, default: 'public', examples: ['team-notes'] }),
  ),
  Page: inQuery(
    'page',
    'Which page of the list, from 1.',
    Type.Integer({ minimum: 1, maximum: MAX_PAGE, examples: [1] }),
  ),
  Size: inQuery(
    'size',
    'Items on a page. When neither this nor `page` is given, the list comes whole.',
    Type.Integer({ minimum: 1, maximum: 1000, examples: [100] }),
  ),
  GallerySearch: inQuery(
    'q',
    'Words that title and tags must have, in any order: upper and lower case and accents make no difference, and the last word may be the beginning of one. Also `"a phrase"`, `-not`, `this or that`. Also `search`.',
    line('launch note', SEARCH_CHARACTERS),
  ),
  GallerySize: inQuery('size', 'Items on a page. Also `limit`.', upTo(100, 20)),
  GalleryCards: inQuery('size', 'Items on a page.', upTo(100, 24, 48)),
  GallerySort: inQuery(
    'sort',
    'Newest first, or most viewed first. Of a search the best finds come first; this orders equally good ones.',
    oneOf(GALLERY_SORTS, 'views', 'date'),
  ),
  Mine: inQuery(
    'mine',
    ...flag('What your owner token owns, of every namespace, in place of what is listed.'),
  ),
  Tag: inQuery('tag', 'Items with this tag only.', line('launch', LIMITS.tagCharacters)),
  SitemapPart: inQuery(
    'part',
    'Which file of the index.',
    Type.Integer({ minimum: 1, maximum: 5000, examples: [1] }),
  ),
  OwnedSize: inQuery('size', 'Items on a page.', upTo(1000, 100)),
  HistoryDays: inQuery('days', 'How many days, today (UTC) being the last.', upTo(MAX_HISTORY_DAYS, 30)),
  HistoryRange: inQuery(
    'range',
    'How far back: by the hour, by six hours, or by the day.',
    oneOf(HISTORY_RANGES, '7d', '24h'),
  ),
  Kind: inQuery('kind', 'Items of this kind only.', oneOf(KINDS, 'html')),
} satisfies Record<string, Parameter>;
