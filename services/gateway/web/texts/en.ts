/**
 * Every English text of the service's pages, a section for each page. A text with a value in it is a function; a sentence
 * with a link in it is cut into `before`, `link` and `after`. Other languages have the same sections (`texts.ts`).
 */
import { ENGLISH } from '../../../../shared/wording/wording.ts';

export { following, operator } from './console.en.ts';

const number = (value: number): string => value.toLocaleString(language.locale);

/** How the language writes numbers, sizes and times; and words that every page may need. */
export const language = {
  ...ENGLISH,
  name: 'English',
  views: (count: number) => (count === 1 ? '1 view' : `${number(count)} views`),
  keys: (count: number) => (count === 1 ? '1 key' : `${number(count)} keys`),
  items: (count: number) => (count === 1 ? '1 item' : `${number(count)} items`),
  expires: 'Expires',
  added: 'Added',
  optional: 'optional',
  download: 'Download',
  report: 'Report',
  home: 'Go to the home page',
};

/** The top and the bottom of every page. */
export const frame = {
  skip: 'Skip to the content',
  gallery: 'Gallery',
  mine: 'My items',
  docs: 'Docs',
  stats: 'Stats',
  statistics: 'Statistics',
  reference: 'API reference',
  models: 'For language models',
  reportAbuse: 'Report abuse',
};

/** The bar at the top of hosted pages. Its script finds the texts of other languages by these. */
export const topBar = {
  about: 'About this page',
  live: 'Live',
  byte: ENGLISH.byte,
  bytes: ENGLISH.bytes,
  expires: 'Expires',
  links: 'Page',
  source: 'Source',
  rendered: 'Rendered',
  tree: 'Tree',
  table: 'Table',
  download: 'Download',
  raw: 'Raw',
  report: 'Report',
  theme: 'Theme',
  auto: 'Theme of your system',
  light: 'Light theme',
  dark: 'Dark theme',
  hide: 'Hide this bar',
  show: 'Show the bar',
};

/** The page of a text, with its lines. Its script finds the texts of other languages by these. */
export const textPage = {
  line: 'Line',
  plain: 'Plain text',
  first: 'its first',
  oneLine: 'line',
  lines: 'lines',
};

/** Names of the kinds of items. */
export const kinds = {
  html: { one: 'Page', many: 'Pages' },
  file: { one: 'File', many: 'Files' },
  site: { one: 'Site', many: 'Sites' },
  json: { one: 'JSON', many: 'JSON' },
  kv: { one: 'Store', many: 'Stores' },
};

/** A button that copies what stands beside it. */
export const copy = { label: 'Copy', copied: 'Copied', byHand: 'Press Ctrl+C' };

export const home = {
  title: 'Put it on the web in one request',
  description:
    'Perch hosts pages, files, sites, JSON documents and key-value stores under short addresses, without an account.',
  lead: 'What you publish stays for up to 30 days, and the owner token you get back lets you change or delete it.',
  others: { before: 'See what others have published in the ', link: 'gallery', after: '.' },
  publish: 'Publish',
  shell: 'From a shell',
  shellLead: {
    before: 'Each answer holds the address and the owner token. The ',
    reference: 'API reference',
    between: ' lists every address, parameter and error; a language model reads ',
    after: '.',
  },
  agents: {
    before: 'Agents publish through the MCP server ',
    after: ': add this address to yours.',
  },
  examples: {
    any: {
      title: 'Any file',
      caption: 'Its name says what it becomes. The answer is the address; -D - shows the owner token too.',
    },
    page: {
      title: 'Page',
      caption: 'A markdown file, read as a page. HTML and plain text work the same way.',
    },
    file: {
      title: 'File',
      caption: 'An image, a video, a PDF: with a viewer for people, and the bytes for everything else.',
    },
    site: {
      title: 'Site',
      caption: 'A ZIP of HTML, styles, scripts and images. Its index.html is what the address shows.',
    },
    json: { title: 'JSON', caption: 'A document, served byte for byte as you sent it.' },
    kv: {
      title: 'Key-value store',
      caption: 'Up to 1000 keys, each with an address that always gives its latest value.',
    },
    change: {
      title: 'Change and delete',
      caption: 'A page, a document or a site gets new content under the same address.',
    },
  },
  copyCommand: 'Copy command',
};

/** The home page's form. */
export const form = {
  what: 'What to publish',
  kindPage: 'Page',
  kindFile: 'Files',
  kindSite: 'Site',
  kindJson: 'JSON',
  kindKv: 'Store',
  content: 'Content',
  contentExample: '# Hello',
  dropFile: 'Drop files anywhere on this page, paste a picture, or choose them here.',
  chooseFile: 'Choose files',
  fileHint: 'Text, image, audio, PDF, ZIP or font up to 5 MB; video up to 20 MB.',
  dropSite: 'Drop a ZIP or a folder anywhere on this page, or choose one here.',
  chooseZip: 'Choose a ZIP',
  chooseFolder: 'Choose a folder',
  siteHint: 'HTML with its styles, scripts and images: up to 1000 files of 5 MB each.',
  document: 'Document',
  documentExample: '{ "hello": "world" }',
  pairs: 'Keys and values',
  key: 'Key',
  value: 'Value',
  valueType: 'Type of the value',
  valueText: 'Text',
  valueJson: 'JSON',
  addPair: 'Add a key',
  removePair: 'Remove this key',
  pairsHint: 'Up to 1000 keys, each with an address of its own. More can be added later.',
  more: 'More options',
  id: 'Address',
  idHint: 'The last part of the address: letters, digits, dot, hyphen and underscore. Drawn when left empty.',
  tags: 'Tags',
  tagsHint: 'Separated by commas.',
  visibility: 'Who finds it',
  listed: 'Everybody',
  listedHint: 'It is listed in the gallery, and search engines may find it.',
  unlisted: 'Who knows the address',
  unlistedHint: 'It is listed nowhere, but whoever has the address can read it.',
  title: 'Title',
  format: 'Format',
  formatMarkdown: 'Markdown',
  formatHtml: 'HTML',
  formatText: 'Text',
  entry: 'First file',
  keepFor: 'Keep for',
  days: (count: number) => (count === 1 ? '1 day' : `${count} days`),
  password: 'Password',
  passwordHint:
    'Readers are asked for it. Protected items are not listed, and search engines cannot read them.',
  cancel: 'Cancel',
  submit: 'Publish',
  noScript: 'This form needs JavaScript. The commands below do not.',
};

/** How the upload of the home page's form goes. */
export const publishing = {
  uploading: 'Uploading',
  uploadingFile: (name: string) => `Uploading ${name}`,
  sent: (loaded: string, total: string) => `: ${loaded} of ${total}`,
  left: (when: string) => `done ${when}`,
  writingKey: (key: string) => `Writing the key ${key}`,
  keyNotWritten: (key: string, why: string) => `The key ${key} and those after it are not written. ${why}`,
  storing: 'Checking and storing',
  stopped: (name: string, published: number, all: number) =>
    `Stopped at ${name}. Published: ${published} of ${all} files, left: ${all - published}.`,
  refused: (published: number, all: number) =>
    `Published: ${published} of ${all} files. Refused: ${all - published}.`,
  removeFile: (name: string) => `Remove ${name}`,
  unreachable: 'The server cannot be reached, or the upload broke off. Check your connection and try again.',
  cancelled: 'Cancelled before all of it had arrived: it is not published.',
  cancelledLate:
    'Cancelled, but all of it had arrived: it may be published. Publishing it again makes no second one.',
  keysCancelled: (key: string) => `Cancelled. The key ${key} and those after it may be missing.`,
  somethingWrong: 'Something went wrong. Try again.',
  noFile: 'Choose a file first.',
  again: 'This is published already. Change something to publish it again.',
  oneId: 'Several files cannot share one address: leave it empty, or choose one file.',
  noZip: (name: string, type: string) =>
    `${name} is ${type === '' ? 'no ZIP' : `of type ${type}, not a ZIP`}. Publish it under “Files”.`,
  brokenZip: (name: string) => `${name} is damaged, or is no ZIP.`,
  isHtml: 'This is an HTML document: the format is HTML now.',
  jsonRight: (size: string) => `Valid JSON, ${size}.`,
  jsonWrong: (line: number, column: number) =>
    `This is not valid JSON yet: see line ${line}, column ${column}.`,
  noPairs: 'Fill in a key and its value first.',
  noKey: 'Each value needs a key.',
  keyTwice: (key: string) => `The key ${key} is there twice.`,
  valueNoJson: (key: string) => `The value of ${key} is not valid JSON.`,
  leftOut: (path: string) => `${path}: left out`,
  more: (count: number) => `and ${number(count)} more`,
  siteSummary: (taken: number, leftOut: number) =>
    `${number(taken)} ${taken === 1 ? 'file' : 'files'} to publish${leftOut === 0 ? '' : `, ${number(leftOut)} left out`}`,
  noSite: 'Choose a ZIP or a folder first.',
  empty: 'There is no file in it.',
  files: (count: number) => `${number(count)} files`,
  unreadable: 'What you dropped cannot be read. Choose it with the button instead.',
};

/** Why the API has refused what a person sent, where its own messages are for programs. */
export const refusals = {
  /** By code. In English the message of a code that is not here stays. */
  codes: {
    ID_TAKEN: 'This address is taken. Choose another one, or leave it empty.',
    UNSUPPORTED_MEDIA_TYPE:
      'Files of this type are not accepted. Texts, pictures, audio, video, PDFs, archives and fonts are.',
    JSON_INVALID: 'This is not valid JSON, or it is nested more than 512 levels deep.',
  } as Readonly<Record<string, string>>,
  /** By field, said behind its name. In English the message of a field that is not here stays. */
  faults: {} as Readonly<Record<string, string>>,
  /** Names in the form of the API's fields. */
  fields: {
    content: 'Content',
    file: 'File',
    filename: 'File name',
    archive: 'ZIP',
    files: 'Folder',
    paths: 'Folder',
    title: 'Title',
    format: 'Format',
    entry: 'First file',
    id: 'Address',
    tags: 'Tags',
    document: 'Document',
    key: 'Key',
    value: 'Value',
    ns: 'Namespace',
    domain: 'Domain',
    ttl: 'Keep for',
    password: 'Password',
    body: 'Upload',
  } as Readonly<Record<string, string>>,
  tooMany: (wait: string) => `Too many requests from your address. Try again ${wait}.`,
  answered: (status: number) => `The server answered ${status}. Try again in a moment.`,
};

/** The card of a published item. */
export const result = {
  published: 'Published',
  earlier: 'Published earlier',
  address: 'Address',
  copyAddress: 'Copy address',
  shortAddress: 'Short address',
  copyShortAddress: 'Copy short address',
  token: 'Owner token',
  copyToken: 'Copy owner token',
  qrCode: 'QR code of the address',
  kept: {
    before: 'The owner token is kept in this browser: change, renew and delete what you published under ',
    link: 'My items',
    after: '. Save a copy of it if you clear this browser’s data.',
  },
  keepToken:
    'Keep the owner token: this browser does not. It is the only way to change or delete what you published, and it cannot be shown again.',
  merged: 'You have published exactly this in the last 24 hours: this is that item, unchanged.',
  missingAssets: (files: string) =>
    `The page loads files beside it, which a page does not have: ${files}. Publish them together as a site.`,
  rootRefs: (addresses: string) =>
    `Its pages ask for addresses at the root of the host, where this site is not: ${addresses}. Build it with relative addresses, such as base: './' in Vite or "homepage": "." in Create React App.`,
  storage: (files: string) =>
    `It uses storage of the browser (localStorage, sessionStorage or indexedDB), which published sites have none of: ${files}. Let it work without.`,
  manage: 'Management link',
  manageLink: 'Renew, delete or share',
  edit: 'Edit',
};

export const gallery = {
  title: 'Gallery',
  page: (page: number) => `page ${page}`,
  description: 'Pages, files, sites and data that people have published on Perch for everybody to see.',
  lead: 'What people have published here for everybody to see, until it expires.',
  again: 'Try again',
  search: 'Search titles and tags',
  submit: 'Search',
  kind: 'Kind',
  all: 'All',
  order: 'Order',
  newest: 'Newest first',
  mostViewed: 'Most viewed',
  tags: 'Tags',
  tagged: (tag: string) => `Tagged ${tag}: show all tags`,
  matches: (count: number, search: string) =>
    `${language.items(count)} ${count === 1 ? 'matches' : 'match'} “${search}”`,
  atLeastMatch: (count: number, search: string) => `At least ${language.items(count)} match “${search}”`,
  andTagged: (found: string) => `${found}, tagged`,
  items: 'Items',
  noPage: (page: number, pages: number) => `There is no page ${page}: there are ${pages}.`,
  first: 'Go to the first page',
  empty: 'Nothing is here yet.',
  publishFirst: 'Publish the first item',
  noMatch: 'Nothing matches.',
  noMatchHint: 'The search looks at titles and tags. Try fewer or shorter words.',
  everything: 'Show everything',
  pages: 'Pages',
  previous: 'Previous',
  next: 'Next',
  pageOf: (page: number, pages: number) => `Page ${number(page)} of ${number(pages)}`,
  unreachable: 'The gallery cannot be reached. Check your connection.',
};

export const stats = {
  description: 'How much has been published here, read and deleted.',
  days: {
    before: 'Totals include expired items, counted as deleted. Days are in ',
    zone: 'UTC',
    after: '.',
  },
  published: 'Published',
  views: 'Views',
  deleted: 'Deleted',
  live: 'Live',
  stored: 'stored',
  today: 'today',
  public: 'public',
  private: 'private',
  byKind: 'By kind',
  kind: 'Kind',
  storedColumn: 'Stored',
  todayColumn: 'Today',
  asOf: 'As of',
  overTime: 'Over time',
  range: 'Span of time',
  ranges: { '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
  charts: { created: 'Published', views: 'Views', bytes: 'Stored', kinds: 'Published by kind' },
  chartLabel: (chart: string, most: string) =>
    `${chart} over time: at most ${most}. The numbers are in the table below.`,
  asTable: 'As a table',
  spanHint: 'Times are in UTC, and name when a span began; the last one is running.',
  from: 'From',
  programs: { before: 'Programs read the same at ', after: '.' },
  kinds: {
    html: 'Pages',
    json: 'JSON documents',
    kv: 'Key-value stores',
    file: 'Files',
    site: 'Sites',
  },
};

export const errorPage = {
  /** Headings, by status. */
  titles: {
    400: 'Bad request',
    403: 'Forbidden',
    404: 'Not found',
    405: 'Not possible here',
    410: 'Gone',
    429: 'Too many requests',
    451: 'In quarantine',
    500: 'Something broke',
    503: 'Not available right now',
    504: 'This took too long',
  } as Readonly<Record<number, string>>,
  /** The next step, by status: said below the error's own message. */
  advice: {
    400: 'Check the address for a typing mistake, then try again.',
    403: 'If someone gave you this link, ask them for the password or for a new link.',
    404: 'Items stay for up to 30 days. Whoever shared this one can publish it again.',
    405: 'Go back and try the link again.',
    410: 'Whoever shared it can publish it again.',
    429: 'Then reload this page.',
    451: 'If it is yours, see your items: there it says what was found. If it was shared with you, ask whoever shared it.',
    500: 'This is our fault, not yours. Reload in a moment; if it stays, tell whoever runs this server the request number below.',
    503: 'Part of the service is not answering. Nothing is lost; reload in a moment.',
    504: 'The service took too long to answer. Reload in a moment.',
  } as Readonly<Record<number, string>>,
  /** Said in place of the messages of the API, by code. The API's messages are English already. */
  messages: {} as Readonly<Record<string, string>>,
  tooMany: null as ((wait: string) => string) | null,
  /** A part that an item does not have, by what it is a part of. */
  noPart: {
    site: (item: string, path: string) => `The site ${item} has no file “${path}”.`,
    store: (item: string, key: string) => `The store ${item} has no key “${key}”.`,
    item: (item: string, part: string) => `${item} has no part “${part}”.`,
  },
  noAddress: 'There is no such address here.',
  toItem: (item: string) => `Go to ${item}`,
  code: 'Code',
  request: 'Request',
};

/** The page of the address that agents use. */
export const agents = {
  heading: 'This is an MCP server',
  tools: 'Agents publish pages, files, sites and data with it, change them and delete them.',
  lead: 'Add this address to your agent:',
  reference: 'API reference',
};

export const unlock = {
  title: 'Password needed',
  heading: 'This item is protected',
  lead: { before: 'Whoever gave you the link to ', after: ' can tell you the password.' },
  password: 'Password',
  open: 'Open',
  wrong: 'That password is not right. Try again.',
  lockedOut: (wait: string) => `Too many wrong passwords from your address. Try again ${wait}.`,
};

export const report = {
  title: 'Report a page',
  lead: 'Tell us what is wrong with it.',
  item: { before: 'You are reporting ', after: '.' },
  address: 'Address of the page',
  wholeAddress: 'Give the whole address, which begins with https:// or http://.',
  reason: 'Reason',
  choose: 'Choose one',
  chooseReason: 'Choose one of the reasons.',
  description: 'What should we know?',
  descriptionHint: '10 to 5000 characters.',
  tooShort: 'Write at least 10 characters.',
  tooLong: 'Write at most 5000 characters.',
  email: 'Your email',
  wrongEmail: 'This is no email address. Correct it, or leave the field empty.',
  emailHint: 'Only used to answer this report.',
  send: 'Send report',
  correct: 'Your report was not sent. Correct what is marked below, then send it again.',
  thanks: 'Thank you',
  arrived: 'Your report has arrived, and a person will look at it.',
  number: 'Report',
  categories: {
    spam: 'Spam or advertising',
    phishing: 'Phishing or a scam',
    malware: 'Malware',
    copyright: 'It infringes a copyright',
    harassment: 'Harassment or private information',
    illegal: 'Other illegal content',
    cannot_delete: 'It is mine and I cannot delete it',
    other: 'Something else',
  } as Readonly<Record<string, string>>,
};

/** Viewers of JSON and of separated values. */
export const dataView = {
  document: 'Document',
  text: 'Text',
  table: 'Table',
  tree: 'Document as a tree',
  beginning: 'This is only the beginning.',
  whole: 'Show all of it',
  path: 'Path of the selected value',
  find: 'Search names and values',
  findRows: 'Search rows',
  match: (at: number, count: number, isCut: boolean) =>
    `${number(at)} of ${number(count)}${isCut ? ' or more' : ''}`,
  noMatch: 'Nothing found',
  previousMatch: 'Previous match',
  nextMatch: 'Next match',
  openAll: 'Open all',
  closeAll: 'Close all',
  copyPath: 'Copy path',
  copyValue: 'Copy value',
  members: (count: number) => (count === 1 ? '1 member' : `${number(count)} members`),
  elements: (count: number) => (count === 1 ? '1 element' : `${number(count)} elements`),
  characters: (count: number) => `${number(count)} characters`,
  more: (count: number) => `Show more (${number(count)} left)`,
  column: (at: number) => `Column ${at}`,
  rows: (count: number) => (count === 1 ? '1 row' : `${number(count)} rows`),
  rowsOf: (count: number, all: number) => `${number(count)} of ${number(all)} rows`,
  rowsCut: (count: number) => `Only the first ${number(count)} rows are shown.`,
  columnsCut: (count: number) => `Only the first ${number(count)} columns are shown.`,
  showRow: (at: number) => `Row ${number(at)}`,
  hasHeading: 'The first row has the names',
  close: 'Close',
  invalidJson: (reason: string) => `This is not valid JSON: ${reason}`,
  notLoaded: (status: number) => `The content could not be loaded (${status}). Reload the page.`,
  unreachable: 'The server cannot be reached. Reload the page.',
};

/** The contents of an archive. */
export const zip = {
  caption: 'Contents',
  path: 'Path',
  size: 'Size',
  packed: 'Packed',
  summary: (count: number) => (count === 1 ? '1 entry' : `${number(count)} entries`),
  unpacked: (size: string) => `${size} unpacked`,
  trust: 'This is what the archive says of itself. Open only what you trust.',
  notShown: (count: number) =>
    count === 1 ? '1 more entry is not shown.' : `${number(count)} more entries are not shown.`,
};

/** The zoom of a picture. */
export const picture = {
  zoom: 'Zoom',
  fit: 'Fit',
  actual: '100 %',
  larger: 'Zoom in',
  smaller: 'Zoom out',
  picture: 'Picture',
  percent: (value: number) => `${number(value)} %`,
};

/** The viewer of a file. */
export const file = {
  source: 'Source',
  raw: 'Raw',
  file: 'File',
  original: 'Open original',
  openImage: 'Open the original image',
  noPdf: {
    before: 'Nothing to see? Not every browser shows PDFs inside a page: ',
    link: 'open it on its own',
    after: '.',
  },
  unplayable: { before: 'Your browser cannot play this. ', link: 'Download it', after: ' instead.' },
  archive: 'An archive cannot be shown here. Download it, and open only what you trust.',
  pdf: 'This PDF cannot be shown inside this page. Open the original to read it.',
  other: 'There is nothing to show of this file. Download it to use it.',
  /** Names of types, where `<type> <subtype>` would not do. */
  types: {
    image: (name: string) => `${name} image`,
    audio: (name: string) => `${name} audio`,
    video: (name: string) => `${name} video`,
    font: (name: string) => `${name} font`,
    icon: 'Icon',
    bitmap: 'Bitmap image',
    pdf: 'PDF document',
    zip: 'ZIP archive',
  },
};

/** The page of a key-value store. */
export const store = {
  live: 'Live',
  changedOne: (key: string) => `${key} has changed.`,
  changedMany: (count: number) => `${number(count)} values have changed.`,
  gone: 'This store is no longer there.',
  kind: 'Key-value store',
  nav: 'Store',
  empty: 'This store is empty.',
  caption: 'Keys and values',
  key: 'Key',
  value: 'Value',
  size: 'Size',
  updated: 'Updated',
  version: (version: number) => `version ${version}`,
  tooLarge: 'Too large to show here.',
  valueOf: (key: string) => `Value of ${key}`,
  notShown: (count: number) => `${language.keys(count)} more ${count === 1 ? 'is' : 'are'} not shown.`,
  description: (count: number) => `A key-value store with ${language.keys(count)}.`,
};

/** The page of the API reference. */
export const docs = {
  description:
    'The whole interface of Perch: every address, parameter, header, body and error, to read and to try.',
  loading: {
    before: 'Loading the documentation. It needs JavaScript; without it, there is the ',
    link: 'OpenAPI document',
    after: '.',
  },
};

/** An item as its owner sees it, on `/mine` and `/manage`. */
export const owned = {
  protected: 'Protected',
  quarantine: {
    malware: (what: string) =>
      `In quarantine: the scanner found ${what}. Nobody but you can read it. Replace or delete it; if it is a mistake, tell whoever runs this server.`,
    link: (what: string) =>
      `In quarantine: it links to ${what}, which this server does not allow. Replace or delete it.`,
    unscannable: (what: string) =>
      `In quarantine: it cannot be checked (${what}). Whoever runs this server can release it.`,
    unscanned: (_what: string) => 'Being checked: others can read it as soon as that is done.',
  },
  copyAddress: 'Copy address',
  copied: 'Copied',
  qrCode: 'QR code',
  download: 'Download',
  edit: 'Edit',
  renew: 'Renew',
  link: 'Management link',
  remove: 'Delete',
  close: 'Close',
  cancel: 'Cancel',
  renewHeading: 'Renew',
  renewHint: 'The time counts from now, and may end earlier than before.',
  replace: 'Replace',
  replacing: (file: string) => `Uploading ${file}`,
  replaced: (name: string) => `“${name}” is replaced.`,
  renewed: (name: string, when: string) => `“${name}” is renewed: it expires ${when}.`,
  removeHeading: 'Delete this item?',
  removeHint: (name: string) => `“${name}” is deleted at once, and cannot be brought back.`,
  removed: (name: string) => `“${name}” is deleted.`,
  qrHeading: 'QR code',
  linkHeading: 'Management link',
  linkHint:
    'Opens this item for changes on another device. It has your owner token in it: whoever has the link can change and delete everything published with that token.',
  copyLink: 'Copy link',
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  gone: (name: string) => `“${name}” is not there any more.`,
  history: 'Views over time',
  lastHours: 'Last 24 hours',
  lastDays: 'Last 30 days',
  day: 'Day',
  chartLabel: (chart: string, most: string) => `Views, ${chart}: at most ${most} at a time`,
  readers: 'Where readers came from',
  otherHosts: 'Other pages',
  noHost: 'Directly, or not told',
  historyHint: 'Times are in UTC. No addresses of readers are kept for this.',
};

/** The domain of an item, on `/mine` and `/manage`. */
export const domains = {
  heading: 'Your own domain',
  domain: 'Domain',
  set: 'Set',
  type: 'Type',
  name: 'Name',
  value: 'Value',
  target: 'Leads to',
  copyName: 'Copy the name of the record',
  copyValue: 'Copy the value of the record',
  copyTarget: 'Copy the host that the domain leads to',
  check: 'Check now',
  remove: 'Remove domain',
  removeHeading: 'Remove the domain?',
  removeHint: 'The item is no longer served there. It stays at its address.',
  removed: 'The domain is removed.',
  states: { pending: 'Waiting.', verified: 'Verified.', active: 'Active.', lost: 'Lost.' },
  setIt: 'Set this TXT record where the records of your domain are kept, then check.',
  notThere: 'The record is not there yet. It can take an hour until a new one is seen.',
  held: 'Another item has this domain, and its record is still there. Remove that record, then check.',
  noAnswer: 'The name servers of the domain gave no answer. Check again later.',
  pointIt: (target: string) =>
    `The domain is yours. Now let it lead to ${target}, by CNAME or by its addresses.`,
  lostHint: (when: string) => `The record is missing. Set it again: else the domain is taken away ${when}.`,
};

export const mine = {
  title: 'My items',
  lead: 'What was published with the owner tokens that this browser keeps. They are sent to this server alone.',
  noScript: 'This page needs JavaScript: the owner tokens are kept in your browser.',
  loading: 'Loading your items',
  items: 'Items',
  search: 'Search titles and addresses',
  order: 'Order',
  newest: 'Newest first',
  expiring: 'Expiring first',
  mostViewed: 'Most viewed',
  more: 'Show more',
  found: (count: number) => language.items(count),
  noMatch: 'Nothing matches.',
  empty: 'Nothing is here yet.',
  emptyHint: 'What you publish from this browser appears here.',
  publish: 'Publish something',
  tokens: 'Owner tokens',
  tokensLead:
    'A token lets you change and delete what was published with it, and nobody can give you a lost one back. Save yours: they are gone when this browser’s data is cleared.',
  noTokens: 'No owner token is kept in this browser.',
  tokenItems: (count: number, kept: string) => `${language.items(count)}, kept since ${kept}`,
  publishing: 'New items get this token',
  publishWith: 'Use for new items',
  copyToken: 'Copy',
  tokenLink: 'Copy link',
  forget: 'Remove',
  forgetHeading: 'Remove this token?',
  forgetHint:
    'It is removed from this browser only. Its items stay until they expire, and without the token you cannot change or delete them.',
  save: 'Save as a file',
  fromFile: 'Add from a file',
  addToken: 'Add a token',
  add: 'Add',
  addHeading: 'Add this owner token?',
  addHint:
    'The link you opened has an owner token in it. Added, its items appear here. What you publish goes on getting your own token.',
  added: (count: number) =>
    count === 0
      ? 'Nothing new: it is kept here already.'
      : count === 1
        ? 'One token is added.'
        : `${number(count)} tokens are added.`,
  noTokenIn: (file: string) => `There is no owner token in ${file}.`,
  badToken: 'An owner token has 16 to 512 characters.',
  forgotten: 'The token is removed from this browser.',
  notKept: 'This browser keeps nothing for this page: in a private window, or by its settings.',
};

export const manage = {
  title: 'Manage an item',
  heading: 'Manage',
  noScript: 'This page needs JavaScript: the owner token in its address never reaches the server by itself.',
  ask: 'The owner token of this item is not kept in this browser. Open its management link, or enter the token.',
  token: 'Owner token',
  open: 'Open',
  wrong: 'This token does not own the item.',
  missing: 'There is no such item. It may have expired.',
  keep: 'Keep the token in this browser',
  keepHint: 'Then the item stays in “My items” here. Do it on your own devices only.',
  kept: 'The token is kept: see My items.',
  mine: 'My items',
};

/** A text field with an editor and a preview: the home page's form, and the page that edits. */
export const editing = {
  views: 'View',
  edit: 'Edit',
  both: 'Side by side',
  preview: 'Preview',
  empty: 'Write something first.',
  nothing: 'There is nothing to show yet.',
  noPreview: 'There is no preview just now: the server cannot be reached.',
  keys: 'Tab goes on to the next field.',
  leaveHeading: 'Leave without saving?',
  leaveHint: 'What you have changed here is not saved, and will be lost.',
  leave: 'Leave',
  stay: 'Stay',
  /** CodeMirror's own texts, by the English ones. */
  phrases: {
    Find: 'Find',
    Replace: 'Replace',
    next: 'next',
    previous: 'previous',
    all: 'all',
    'match case': 'match case',
    regexp: 'regular expression',
    'by word': 'whole words',
    replace: 'replace',
    'replace all': 'replace all',
    close: 'close',
    'current match': 'current match',
    'on line': 'on line',
    'replaced match on line $': 'replaced on line $',
    'replaced $ matches': '$ replaced',
    'Go to line': 'Go to line',
    go: 'go',
    'Selection deleted': 'Selection deleted',
    'Control character': 'Control character',
  } as Readonly<Record<string, string>>,
};

export const edit = {
  title: 'Edit an item',
  heading: 'Edit',
  noScript: 'This page needs JavaScript: the owner token in its address never reaches the server by itself.',
  save: 'Save',
  saving: 'Saving',
  saved: (time: string) => `Saved at ${time}.`,
  unchanged: 'Nothing has changed since it was saved.',
  unsaved: 'Not saved yet.',
  open: 'Open',
  manage: 'Manage',
  editable:
    'Pages, JSON documents and stores can be edited here. Files and sites have a management page. A site is replaced there by a ZIP; a file is deleted there and published anew.',
  gone: 'The item is not there any more: it has expired or was deleted. Your text is still here; copy it if you need it.',
  conflictHeading: 'Somebody else has changed it',
  conflictLead:
    'It is not as it was when you opened it, so nothing was saved. Your text is still in the editor.',
  theirs: 'Look at theirs',
  takeTheirs: 'Take theirs',
  overwrite: 'Overwrite with mine',
  keepMine: 'Go on with mine',
  tookTheirs: 'This is what they saved. Undo brings your text back.',
  keptMine: 'Your text is as it was, and not saved.',
};

/** The keys of a store, where they are edited. */
export const pairs = {
  keys: 'Keys',
  save: 'Save',
  remove: 'Delete',
  removeHeading: 'Delete this key?',
  add: 'Add',
  addHeading: 'Add a key',
  valueOf: (key: string) => `Value of ${key}`,
  typeOf: (key: string) => `Type of the value of ${key}`,
  saved: (key: string) => `The key ${key} is saved.`,
  removed: (key: string) => `The key ${key} is deleted.`,
  goneAlready: (key: string) => `The key ${key} was deleted already.`,
  goneMeanwhile: (key: string) =>
    `Somebody else has deleted the key ${key} meanwhile. Nothing was saved; save once more to create it again.`,
  isThere: (key: string) => `The key ${key} is there already: open it to change it.`,
  noJson: (key: string) => `The value of ${key} is not valid JSON.`,
  theirs:
    'Somebody else has changed it meanwhile, to this. Nothing was saved; once more, and theirs is replaced.',
};
