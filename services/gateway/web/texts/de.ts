/** Every text of the service's pages in German: the sections of `en.ts`. */
import type * as en from './en.ts';

export { following, operator } from './console.de.ts';

const number = (value: number): string => value.toLocaleString(language.locale);

const tooMany = (wait: string): string =>
  `Zu viele Anfragen von deiner Adresse. Versuche es ${wait} noch einmal.`;

/** Said of both, on error pages and in forms. */
const blocked = {
  CONTENT_BLOCKED:
    'Genau diesen Inhalt hat der Betreiber entfernt. Er lässt sich vorerst nicht wieder veröffentlichen.',
  CLIENT_BLOCKED: 'Von hier lässt der Betreiber nichts veröffentlichen oder ändern.',
};

export const language: typeof en.language = {
  locale: 'de-DE',
  byte: 'Byte',
  bytes: 'Bytes',
  justNow: 'gerade eben',
  inAMoment: 'gleich',
  name: 'Deutsch',
  views: (count) => (count === 1 ? '1 Aufruf' : `${number(count)} Aufrufe`),
  keys: (count) => (count === 1 ? '1 Schlüssel' : `${number(count)} Schlüssel`),
  items: (count) => (count === 1 ? '1 Eintrag' : `${number(count)} Einträge`),
  expires: 'Läuft ab',
  added: 'Hinzugefügt',
  optional: 'optional',
  download: 'Herunterladen',
  report: 'Melden',
  home: 'Zur Startseite',
};

export const frame: typeof en.frame = {
  skip: 'Zum Inhalt springen',
  gallery: 'Galerie',
  mine: 'Meine Einträge',
  docs: 'Doku',
  stats: 'Statistik',
  statistics: 'Statistik',
  reference: 'API-Referenz',
  models: 'Für Sprachmodelle',
  reportAbuse: 'Missbrauch melden',
};

export const topBar: typeof en.topBar = {
  about: 'Über diese Seite',
  live: 'Live',
  byte: 'Byte',
  bytes: 'Bytes',
  expires: 'Läuft ab am',
  links: 'Seite',
  source: 'Quelltext',
  rendered: 'Ansicht',
  tree: 'Baum',
  table: 'Tabelle',
  download: 'Herunterladen',
  raw: 'Original',
  report: 'Melden',
  theme: 'Farbschema',
  auto: 'Wie im System',
  light: 'Hell',
  dark: 'Dunkel',
  hide: 'Leiste ausblenden',
  show: 'Leiste einblenden',
};

export const textPage: typeof en.textPage = {
  line: 'Zeile',
  plain: 'Reiner Text',
  first: 'gekürzt auf',
  oneLine: 'Zeile',
  lines: 'Zeilen',
};

export const kinds: typeof en.kinds = {
  html: { one: 'Seite', many: 'Seiten' },
  file: { one: 'Datei', many: 'Dateien' },
  site: { one: 'Website', many: 'Websites' },
  json: { one: 'JSON', many: 'JSON' },
  kv: { one: 'Speicher', many: 'Speicher' },
};

export const copy: typeof en.copy = { label: 'Kopieren', copied: 'Kopiert', byHand: 'Strg+C drücken' };

export const home: typeof en.home = {
  title: 'Mit einer Anfrage ins Web',
  description:
    'Perch stellt Seiten, Dateien, Websites, JSON-Dokumente und Schlüssel-Wert-Speicher unter kurzen Adressen bereit, ohne Konto.',
  lead: 'Was du veröffentlichst, bleibt bis zu 30 Tage. Mit dem Besitzertoken, das du dafür bekommst, änderst oder löschst du es.',
  others: { before: 'Was andere veröffentlicht haben, zeigt die ', link: 'Galerie', after: '.' },
  publish: 'Veröffentlichen',
  shell: 'Aus der Shell',
  shellLead: {
    before: 'Jede Antwort enthält die Adresse und das Besitzertoken. Die ',
    reference: 'API-Referenz',
    between: ' führt alle Adressen, Parameter und Fehler auf; ein Sprachmodell liest ',
    after: '.',
  },
  agents: {
    before: 'Agenten veröffentlichen über den MCP-Server ',
    after: ', den du deinem Agenten hinzufügst.',
  },
  examples: {
    any: {
      title: 'Jede Datei',
      caption: 'Ihr Name sagt, was sie wird. Die Antwort ist die Adresse; -D - zeigt auch das Besitzertoken.',
    },
    page: {
      title: 'Seite',
      caption: 'Eine Markdown-Datei, als Seite zu lesen. HTML und reiner Text gehen genauso.',
    },
    file: {
      title: 'Datei',
      caption:
        'Ein Bild, ein Video, ein PDF: mit einem Betrachter für Menschen und den Bytes für alles andere.',
    },
    site: {
      title: 'Website',
      caption: 'Ein ZIP aus HTML, Styles, Skripten und Bildern. Die Adresse zeigt seine index.html.',
    },
    json: { title: 'JSON', caption: 'Ein Dokument, Byte für Byte so ausgeliefert, wie du es gesendet hast.' },
    kv: {
      title: 'Schlüssel-Wert-Speicher',
      caption: 'Bis zu 1000 Schlüssel, jeder mit einer Adresse, die stets seinen neuesten Wert gibt.',
    },
    change: {
      title: 'Ändern und löschen',
      caption: 'Eine Seite, ein Dokument oder eine Website bekommt unter derselben Adresse neuen Inhalt.',
    },
  },
  copyCommand: 'Befehl kopieren',
};

export const form: typeof en.form = {
  what: 'Was du veröffentlichst',
  kindPage: 'Seite',
  kindFile: 'Dateien',
  kindSite: 'Website',
  kindJson: 'JSON',
  kindKv: 'Speicher',
  content: 'Inhalt',
  contentExample: '# Hallo',
  dropFile: 'Lege Dateien irgendwo auf dieser Seite ab, füge ein Bild ein oder wähle sie hier aus.',
  chooseFile: 'Dateien auswählen',
  fileHint: 'Text, Bild, Ton, PDF, ZIP oder Schrift bis 5 MB; Video bis 20 MB.',
  dropSite: 'Lege ein ZIP oder einen Ordner irgendwo auf dieser Seite ab oder wähle hier etwas aus.',
  chooseZip: 'ZIP auswählen',
  chooseFolder: 'Ordner auswählen',
  siteHint: 'HTML mit Styles, Skripten und Bildern: bis zu 1000 Dateien von je 5 MB.',
  document: 'Dokument',
  documentExample: '{ "hallo": "Welt" }',
  pairs: 'Schlüssel und Werte',
  key: 'Schlüssel',
  value: 'Wert',
  valueType: 'Typ des Werts',
  valueText: 'Text',
  valueJson: 'JSON',
  addPair: 'Schlüssel hinzufügen',
  removePair: 'Diesen Schlüssel entfernen',
  pairsHint: 'Bis zu 1000 Schlüssel, jeder mit eigener Adresse. Weitere kannst du später hinzufügen.',
  more: 'Weitere Angaben',
  id: 'Adresse',
  idHint:
    'Der letzte Teil der Adresse: Buchstaben, Ziffern, Punkt, Bindestrich und Unterstrich. Wird ausgelost, wenn das Feld leer bleibt.',
  tags: 'Schlagwörter',
  tagsHint: 'Durch Kommas getrennt.',
  visibility: 'Wer es findet',
  listed: 'Alle',
  listedHint: 'Es steht in der Galerie, und Suchmaschinen finden es vielleicht.',
  unlisted: 'Wer die Adresse kennt',
  unlistedHint: 'Es steht nirgends, aber wer die Adresse hat, kann es lesen.',
  title: 'Titel',
  format: 'Format',
  formatMarkdown: 'Markdown',
  formatHtml: 'HTML',
  formatText: 'Text',
  entry: 'Erste Datei',
  keepFor: 'Aufbewahren',
  days: (count) => (count === 1 ? '1 Tag' : `${count} Tage`),
  password: 'Passwort',
  passwordHint:
    'Wer es lesen will, wird danach gefragt. Geschützte Einträge stehen nicht in der Galerie, und Suchmaschinen können sie nicht lesen.',
  cancel: 'Abbrechen',
  submit: 'Veröffentlichen',
  noScript: 'Dieses Formular braucht JavaScript. Die Befehle unten nicht.',
};

export const publishing: typeof en.publishing = {
  uploading: 'Wird hochgeladen',
  uploadingFile: (name) => `${name} wird hochgeladen`,
  sent: (loaded, total) => `: ${loaded} von ${total}`,
  left: (when) => `fertig ${when}`,
  writingKey: (key) => `Der Schlüssel ${key} wird geschrieben`,
  keyNotWritten: (key, why) => `Der Schlüssel ${key} und die folgenden sind nicht geschrieben. ${why}`,
  storing: 'Wird geprüft und gespeichert',
  stopped: (name, published, all) =>
    `Angehalten bei ${name}. Veröffentlicht: ${published} von ${all} Dateien, übrig: ${all - published}.`,
  refused: (published, all) =>
    `Veröffentlicht: ${published} von ${all} Dateien. Abgelehnt: ${all - published}.`,
  removeFile: (name) => `${name} entfernen`,
  unreachable:
    'Der Server ist nicht erreichbar, oder die Übertragung ist abgebrochen. Prüfe deine Verbindung und versuche es erneut.',
  cancelled: 'Abgebrochen, bevor alles angekommen war: Es ist nicht veröffentlicht.',
  cancelledLate:
    'Abgebrochen, aber alles war schon angekommen: Vielleicht ist es veröffentlicht. Wenn du es noch einmal veröffentlichst, entsteht kein zweites.',
  keysCancelled: (key) => `Abgebrochen. Der Schlüssel ${key} und die folgenden fehlen vielleicht.`,
  somethingWrong: 'Etwas ist schiefgegangen. Versuche es noch einmal.',
  noFile: 'Wähle zuerst eine Datei aus.',
  again: 'Das ist schon veröffentlicht. Ändere etwas, um es noch einmal zu veröffentlichen.',
  oneId: 'Mehrere Dateien können nicht dieselbe Adresse haben: Lass sie leer oder wähle eine einzige Datei.',
  noZip: (name, type) =>
    `${name} ist ${type === '' ? 'kein ZIP' : `vom Typ ${type}, kein ZIP`}. Veröffentliche es unter „Dateien“.`,
  brokenZip: (name) => `${name} ist beschädigt oder kein ZIP.`,
  isHtml: 'Das ist ein HTML-Dokument: Das Format ist jetzt HTML.',
  jsonRight: (size) => `Gültiges JSON, ${size}.`,
  jsonWrong: (line, column) => `Das ist noch kein gültiges JSON: siehe Zeile ${line}, Spalte ${column}.`,
  noPairs: 'Fülle zuerst einen Schlüssel und seinen Wert aus.',
  noKey: 'Jeder Wert braucht einen Schlüssel.',
  keyTwice: (key) => `Den Schlüssel ${key} gibt es zweimal.`,
  valueNoJson: (key) => `Der Wert von ${key} ist kein gültiges JSON.`,
  leftOut: (path) => `${path}: ausgelassen`,
  more: (count) => `und ${number(count)} weitere`,
  siteSummary: (taken, leftOut) =>
    `${number(taken)} ${taken === 1 ? 'Datei' : 'Dateien'} zu veröffentlichen${leftOut === 0 ? '' : `, ${number(leftOut)} ausgelassen`}`,
  noSite: 'Wähle zuerst ein ZIP oder einen Ordner aus.',
  empty: 'Darin ist keine Datei.',
  files: (count) => `${number(count)} Dateien`,
  unreadable: 'Was du abgelegt hast, lässt sich nicht lesen. Wähle es mit dem Knopf aus.',
};

export const refusals: typeof en.refusals = {
  codes: {
    ...blocked,
    ID_TAKEN: 'Diese Adresse ist vergeben. Wähle eine andere oder lass das Feld leer.',
    TOO_LARGE:
      'Das ist zu groß. Seiten und Dateien haben höchstens 5 MB, Videos 20 MB; JSON-Dokumente, Werte und Vorschauen 1 MB.',
    UNSUPPORTED_MEDIA_TYPE:
      'Dateien dieser Art werden nicht angenommen, nur Texte, Bilder, Ton, Video, PDF, Archive und Schriften.',
    CONTENT_REJECTED:
      'Der Inhalt wird nicht angenommen: Er ist leer, passt nicht zur Endung des Namens oder ist von einer Art, die nicht angenommen wird. Text muss UTF-8 sein.',
    JSON_INVALID: 'Das ist kein gültiges JSON, oder es ist mehr als 512 Ebenen tief.',
    KV_KEY_LIMIT: 'Der Speicher hat schon 1000 Schlüssel. Lösche einen oder lege einen anderen Speicher an.',
    NOT_FOUND: 'Das gibt es nicht. Vielleicht ist es abgelaufen.',
    OWNER_TOKEN_WRONG: 'Dieses Besitzertoken gehört nicht zu diesem Eintrag.',
    STORAGE_FULL: 'Der Dienst hat dafür keinen Platz mehr. Versuche es später noch einmal.',
    UNAVAILABLE: 'Der Dienst kann das gerade nicht. Versuche es gleich noch einmal.',
    TIMEOUT: 'Der Dienst hat nicht rechtzeitig geantwortet. Versuche es gleich noch einmal.',
    INTERNAL: 'Im Dienst ist ein Fehler aufgetreten. Versuche es noch einmal.',
  },
  faults: {
    password: 'hat 1 bis 200 Zeichen, keine Steuerzeichen und am Anfang und am Ende kein Leerzeichen.',
    id: 'hat bis zu 64 Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche, zuerst einen Buchstaben oder eine Ziffer.',
    tags: 'höchstens 20, jedes mit 1 bis 50 Zeichen.',
    title: 'hat höchstens 200 Zeichen und keine Steuerzeichen.',
    archive:
      'muss ein ganzes ZIP ohne Passwort und Verknüpfungen sein, mit höchstens 1000 Dateien, deren Pfade in der Website bleiben.',
    entry:
      'muss eine der Dateien der Website sein. Ohne Angabe ist es die index.html oder die einzige HTML-Datei.',
    key: 'hat 1 bis 256 Zeichen, keinen Schrägstrich und keine Steuerzeichen, und ist nicht „.“ oder „..“.',
    domain:
      'muss der Name eines öffentlichen Hosts sein, etwa „www.example.org“, ohne „https:“ davor und ohne Pfad, und nicht zu diesem Dienst gehören.',
  },
  fields: {
    content: 'Inhalt',
    file: 'Datei',
    filename: 'Dateiname',
    archive: 'ZIP',
    files: 'Ordner',
    paths: 'Ordner',
    title: 'Titel',
    format: 'Format',
    entry: 'Erste Datei',
    id: 'Adresse',
    tags: 'Schlagwörter',
    document: 'Dokument',
    key: 'Schlüssel',
    value: 'Wert',
    ns: 'Namensraum',
    domain: 'Domain',
    ttl: 'Aufbewahren',
    password: 'Passwort',
    body: 'Übertragung',
  },
  tooMany,
  answered: (status) => `Der Server hat mit ${status} geantwortet. Versuche es gleich noch einmal.`,
};

export const result: typeof en.result = {
  published: 'Veröffentlicht',
  earlier: 'Zuvor veröffentlicht',
  address: 'Adresse',
  copyAddress: 'Adresse kopieren',
  shortAddress: 'Kurze Adresse',
  copyShortAddress: 'Kurze Adresse kopieren',
  token: 'Besitzertoken',
  copyToken: 'Besitzertoken kopieren',
  qrCode: 'QR-Code der Adresse',
  kept: {
    before: 'Das Besitzertoken liegt in diesem Browser: Ändern, verlängern und löschen kannst du unter ',
    link: 'Meine Einträge',
    after: '. Sichere eine Kopie, falls du die Daten dieses Browsers löschst.',
  },
  keepToken:
    'Bewahre das Besitzertoken auf: Dieser Browser tut es nicht. Nur damit lässt sich das Veröffentlichte ändern oder löschen, und es wird nicht noch einmal gezeigt.',
  merged: 'Genau das hast du in den letzten 24 Stunden veröffentlicht: Dies ist jener Eintrag, unverändert.',
  missingAssets: (files) =>
    `Die Seite lädt Dateien neben sich, die eine Seite nicht hat: ${files}. Veröffentliche sie zusammen als Website.`,
  rootRefs: (addresses) =>
    `Ihre Seiten verlangen Adressen an der Wurzel des Hosts, wo diese Website nicht ist: ${addresses}. Baue sie mit relativen Adressen, etwa base: './' in Vite oder "homepage": "." in Create React App.`,
  storage: (files) =>
    `Sie verwendet Speicher des Browsers (localStorage, sessionStorage oder indexedDB), den veröffentlichte Websites nicht haben: ${files}. Lass sie ohne auskommen.`,
  manage: 'Verwaltung',
  manageLink: 'Verlängern, löschen oder teilen',
  edit: 'Bearbeiten',
};

export const gallery: typeof en.gallery = {
  title: 'Galerie',
  page: (page) => `Seite ${page}`,
  description: 'Seiten, Dateien, Websites und Daten, die auf Perch für alle veröffentlicht wurden.',
  lead: 'Was hier für alle veröffentlicht wurde, bis es abläuft.',
  again: 'Noch einmal versuchen',
  search: 'Titel und Schlagwörter durchsuchen',
  submit: 'Suchen',
  kind: 'Art',
  all: 'Alle',
  order: 'Reihenfolge',
  newest: 'Neueste zuerst',
  mostViewed: 'Meistgesehene zuerst',
  tags: 'Schlagwörter',
  tagged: (tag) => `Mit Schlagwort ${tag}: alle Schlagwörter zeigen`,
  matches: (count, search) => `${language.items(count)} zu „${search}“`,
  atLeastMatch: (count, search) => `Mindestens ${language.items(count)} zu „${search}“`,
  andTagged: (found) => `${found}, mit Schlagwort`,
  items: 'Einträge',
  noPage: (page, pages) => `Es gibt keine Seite ${page}, nur ${pages}.`,
  first: 'Zur ersten Seite',
  empty: 'Hier ist noch nichts.',
  publishFirst: 'Den ersten Eintrag veröffentlichen',
  noMatch: 'Nichts passt dazu.',
  noMatchHint: 'Gesucht wird in Titeln und Schlagwörtern. Versuche es mit weniger oder kürzeren Wörtern.',
  everything: 'Alles zeigen',
  pages: 'Seiten',
  previous: 'Zurück',
  next: 'Weiter',
  pageOf: (page, pages) => `Seite ${number(page)} von ${number(pages)}`,
  unreachable: 'Die Galerie ist nicht erreichbar. Prüfe deine Verbindung.',
};

export const stats: typeof en.stats = {
  description: 'Wie viel hier veröffentlicht, gelesen und gelöscht wurde.',
  days: {
    before: 'Die Summen enthalten abgelaufene Einträge, gezählt als gelöscht. Zeitzone der Tage: ',
    zone: 'UTC',
    after: '.',
  },
  published: 'Veröffentlicht',
  views: 'Aufrufe',
  deleted: 'Gelöscht',
  live: 'Online',
  stored: 'gespeichert',
  today: 'heute',
  public: 'öffentlich',
  private: 'privat',
  byKind: 'Nach Art',
  kind: 'Art',
  storedColumn: 'Gespeichert',
  todayColumn: 'Heute',
  asOf: 'Stand:',
  overTime: 'Verlauf',
  range: 'Zeitraum',
  ranges: { '24h': '24 Stunden', '7d': '7 Tage', '30d': '30 Tage' },
  charts: {
    created: 'Veröffentlicht',
    views: 'Aufrufe',
    bytes: 'Gespeichert',
    kinds: 'Veröffentlicht nach Art',
  },
  chartLabel: (chart, most) =>
    `${chart} im Verlauf: höchstens ${most}. Die Zahlen stehen in der Tabelle darunter.`,
  asTable: 'Als Tabelle',
  spanHint: 'Zeiten sind in UTC und nennen den Beginn eines Abschnitts; der letzte läuft noch.',
  from: 'Ab',
  programs: { before: 'Programme lesen dasselbe unter ', after: '.' },
  kinds: {
    html: 'Seiten',
    json: 'JSON-Dokumente',
    kv: 'Schlüssel-Wert-Speicher',
    file: 'Dateien',
    site: 'Websites',
  },
};

export const errorPage: typeof en.errorPage = {
  titles: {
    400: 'Fehlerhafte Anfrage',
    403: 'Kein Zugang',
    404: 'Nicht gefunden',
    405: 'Hier nicht möglich',
    410: 'Nicht mehr da',
    429: 'Zu viele Anfragen',
    451: 'In Quarantäne',
    500: 'Da ist etwas kaputt',
    503: 'Gerade nicht verfügbar',
    504: 'Das hat zu lange gedauert',
  },
  advice: {
    400: 'Prüfe die Adresse auf Tippfehler und versuche es noch einmal.',
    403: 'Wenn du den Link bekommen hast, frage nach dem Passwort oder nach einem neuen Link.',
    404: 'Einträge bleiben bis zu 30 Tage. Wer diesen geteilt hat, kann ihn noch einmal veröffentlichen.',
    405: 'Geh zurück und versuche es noch einmal.',
    410: 'Wer es geteilt hat, kann es noch einmal veröffentlichen.',
    429: 'Lade diese Seite dann neu.',
    451: 'Wenn es deines ist: bei deinen Einträgen steht, was gefunden wurde. Sonst frage, wer es geteilt hat.',
    500: 'Das liegt an uns, nicht an dir. Lade gleich neu; wenn es so bleibt, nenne dem Betreiber dieses Servers die Nummer der Anfrage unten.',
    503: 'Ein Teil des Dienstes antwortet nicht. Nichts ist verloren; lade gleich neu.',
    504: 'Der Dienst hat zu lange gebraucht. Lade gleich neu.',
  },
  messages: {
    NOT_FOUND: 'Unter dieser Adresse ist nichts. Vielleicht ist es abgelaufen; prüfe die Adresse.',
    QUARANTINED:
      'Was unter dieser Adresse ist, steht unter Quarantäne: bei einer Prüfung wurde etwas gefunden.',
    BEING_CHECKED: 'Was unter dieser Adresse ist, wird gerade noch geprüft.',
    GONE: 'Was unter dieser Adresse war, ist abgelaufen oder wurde entfernt.',
    METHOD_NOT_ALLOWED: 'Diese Adresse ist für etwas anderes da.',
    USER_AGENT_REQUIRED: 'Dein Browser nennt keinen User-Agent.',
    CROSS_SITE_FORBIDDEN:
      'Das hat eine andere Seite veranlasst. Öffne das Formular selbst und sende es dort ab.',
    ...blocked,
    INTERNAL: 'Im Dienst ist ein Fehler aufgetreten.',
    UNAVAILABLE: 'Der Dienst kann das gerade nicht.',
    TIMEOUT: 'Der Dienst hat nicht rechtzeitig geantwortet.',
  },
  tooMany,
  noPart: {
    site: (item, path) => `Die Website ${item} hat keine Datei „${path}“.`,
    store: (item, key) => `Der Speicher ${item} hat keinen Schlüssel „${key}“.`,
    item: (item, part) => `${item} hat keinen Teil „${part}“.`,
  },
  noAddress: 'Diese Adresse gibt es hier nicht.',
  toItem: (item) => `${item} öffnen`,
  code: 'Code',
  request: 'Anfrage',
};

export const agents: typeof en.agents = {
  heading: 'Das ist ein MCP-Server',
  tools: 'Agenten veröffentlichen damit Seiten, Dateien, Websites und Daten, ändern und löschen sie.',
  lead: 'Füge diese Adresse deinem Agenten hinzu:',
  reference: 'API-Referenz',
};

export const unlock: typeof en.unlock = {
  title: 'Passwort nötig',
  heading: 'Dieser Eintrag ist geschützt',
  lead: { before: 'Wer dir den Link zu ', after: ' gegeben hat, kann dir das Passwort sagen.' },
  password: 'Passwort',
  open: 'Öffnen',
  wrong: 'Das Passwort stimmt nicht. Versuche es noch einmal.',
  lockedOut: (wait) => `Zu viele falsche Passwörter von deiner Adresse. Versuche es ${wait} noch einmal.`,
};

export const report: typeof en.report = {
  title: 'Eine Seite melden',
  lead: 'Sag uns, was damit nicht stimmt.',
  item: { before: 'Du meldest ', after: '.' },
  address: 'Adresse der Seite',
  wholeAddress: 'Gib die ganze Adresse an, die mit https:// oder http:// beginnt.',
  reason: 'Grund',
  choose: 'Bitte wählen',
  chooseReason: 'Wähle einen der Gründe.',
  description: 'Was sollten wir wissen?',
  descriptionHint: '10 bis 5000 Zeichen.',
  tooShort: 'Schreibe mindestens 10 Zeichen.',
  tooLong: 'Schreibe höchstens 5000 Zeichen.',
  email: 'Deine E-Mail-Adresse',
  wrongEmail: 'Das ist keine E-Mail-Adresse. Korrigiere sie oder lass das Feld leer.',
  emailHint: 'Nur, um dir zu antworten.',
  send: 'Meldung absenden',
  correct:
    'Deine Meldung wurde nicht gesendet. Korrigiere, was unten markiert ist, und sende sie noch einmal.',
  thanks: 'Danke',
  arrived: 'Deine Meldung ist angekommen, und ein Mensch wird sie ansehen.',
  number: 'Meldung',
  categories: {
    spam: 'Spam oder Werbung',
    phishing: 'Phishing oder Betrug',
    malware: 'Schadsoftware',
    copyright: 'Verletzt ein Urheberrecht',
    harassment: 'Belästigung oder private Informationen',
    illegal: 'Andere illegale Inhalte',
    cannot_delete: 'Es ist meins, und ich kann es nicht löschen',
    other: 'Etwas anderes',
  },
};

export const dataView: typeof en.dataView = {
  document: 'Dokument',
  text: 'Text',
  table: 'Tabelle',
  tree: 'Dokument als Baum',
  beginning: 'Das ist nur der Anfang.',
  whole: 'Alles zeigen',
  path: 'Pfad des gewählten Werts',
  find: 'Namen und Werte durchsuchen',
  findRows: 'Zeilen durchsuchen',
  match: (at, count, isCut) => `${number(at)} von ${number(count)}${isCut ? ' oder mehr' : ''}`,
  noMatch: 'Nichts gefunden',
  previousMatch: 'Voriger Treffer',
  nextMatch: 'Nächster Treffer',
  openAll: 'Alles aufklappen',
  closeAll: 'Alles zuklappen',
  copyPath: 'Pfad kopieren',
  copyValue: 'Wert kopieren',
  members: (count) => (count === 1 ? '1 Feld' : `${number(count)} Felder`),
  elements: (count) => (count === 1 ? '1 Element' : `${number(count)} Elemente`),
  characters: (count) => `${number(count)} Zeichen`,
  more: (count) => `Mehr zeigen (noch ${number(count)})`,
  column: (at) => `Spalte ${at}`,
  rows: (count) => (count === 1 ? '1 Zeile' : `${number(count)} Zeilen`),
  rowsOf: (count, all) => `${number(count)} von ${number(all)} Zeilen`,
  rowsCut: (count) => `Nur die ersten ${number(count)} Zeilen werden gezeigt.`,
  columnsCut: (count) => `Nur die ersten ${number(count)} Spalten werden gezeigt.`,
  showRow: (at) => `Zeile ${number(at)}`,
  hasHeading: 'Die erste Zeile enthält die Namen',
  close: 'Schließen',
  invalidJson: (reason) => `Das ist kein gültiges JSON: ${reason}`,
  notLoaded: (status) => `Der Inhalt konnte nicht geladen werden (${status}). Lade die Seite neu.`,
  unreachable: 'Der Server ist nicht erreichbar. Lade die Seite neu.',
};

export const zip: typeof en.zip = {
  caption: 'Inhalt',
  path: 'Pfad',
  size: 'Größe',
  packed: 'Gepackt',
  summary: (count) => (count === 1 ? '1 Eintrag' : `${number(count)} Einträge`),
  unpacked: (size) => `${size} entpackt`,
  trust: 'So beschreibt sich das Archiv selbst. Öffne nur, wem du vertraust.',
  notShown: (count) =>
    count === 1
      ? '1 weiterer Eintrag wird nicht gezeigt.'
      : `${number(count)} weitere Einträge werden nicht gezeigt.`,
};

export const picture: typeof en.picture = {
  zoom: 'Zoom',
  fit: 'Einpassen',
  actual: '100 %',
  larger: 'Vergrößern',
  smaller: 'Verkleinern',
  picture: 'Bild',
  percent: (value) => `${number(value)} %`,
};

export const file: typeof en.file = {
  source: 'Quelltext',
  raw: 'Original',
  file: 'Datei',
  original: 'Original öffnen',
  openImage: 'Das Originalbild öffnen',
  noPdf: {
    before: 'Nichts zu sehen? Nicht jeder Browser zeigt PDFs in einer Seite: ',
    link: 'allein öffnen',
    after: '.',
  },
  unplayable: { before: 'Dein Browser kann das nicht abspielen. ', link: 'Lade es herunter', after: '.' },
  archive:
    'Ein Archiv lässt sich hier nicht zeigen. Lade es herunter, und öffne nur, was du für vertrauenswürdig hältst.',
  pdf: 'Dieses PDF lässt sich nicht in dieser Seite zeigen. Öffne das Original, um es zu lesen.',
  other: 'Von dieser Datei gibt es nichts zu zeigen. Lade sie herunter, um sie zu verwenden.',
  types: {
    image: (name) => `${name}-Bild`,
    audio: (name) => `${name}-Audio`,
    video: (name) => `${name}-Video`,
    font: (name) => `${name}-Schrift`,
    icon: 'Icon',
    bitmap: 'Bitmap-Bild',
    pdf: 'PDF-Dokument',
    zip: 'ZIP-Archiv',
  },
};

export const store: typeof en.store = {
  live: 'Live',
  changedOne: (key) => `${key} hat sich geändert.`,
  changedMany: (count) => `${number(count)} Werte haben sich geändert.`,
  gone: 'Diesen Speicher gibt es nicht mehr.',
  kind: 'Schlüssel-Wert-Speicher',
  nav: 'Speicher',
  empty: 'Dieser Speicher ist leer.',
  caption: 'Schlüssel und Werte',
  key: 'Schlüssel',
  value: 'Wert',
  size: 'Größe',
  updated: 'Geändert',
  version: (version) => `Version ${version}`,
  tooLarge: 'Zu groß, um hier gezeigt zu werden.',
  valueOf: (key) => `Wert von ${key}`,
  notShown: (count) => `${language.keys(count)} ${count === 1 ? 'wird' : 'werden'} hier nicht gezeigt.`,
  description: (count) => `Ein Schlüssel-Wert-Speicher mit ${language.keys(count)}.`,
};

export const docs: typeof en.docs = {
  description:
    'Die ganze Schnittstelle von Perch: alle Adressen, Parameter, Header, Bodys und Fehler, zum Lesen und Ausprobieren.',
  loading: {
    before: 'Die Dokumentation wird geladen. Sie braucht JavaScript; ohne gibt es das ',
    link: 'OpenAPI-Dokument',
    after: '.',
  },
};

export const owned: typeof en.owned = {
  protected: 'Geschützt',
  quarantine: {
    malware: (what) =>
      `In Quarantäne: der Scanner hat ${what} gefunden. Nur du kannst es lesen. Ersetze oder lösche es; ist es ein Irrtum, sage es dem Betreiber dieses Servers.`,
    link: (what) =>
      `In Quarantäne: es verlinkt ${what}, was dieser Server nicht erlaubt. Ersetze oder lösche es.`,
    unscannable: (what) =>
      `In Quarantäne: es lässt sich nicht prüfen (${what}). Der Betreiber dieses Servers kann es freigeben.`,
    unscanned: () => 'Wird geprüft: danach können es auch andere lesen.',
  },
  copyAddress: 'Adresse kopieren',
  copied: 'Kopiert',
  qrCode: 'QR-Code',
  download: 'Herunterladen',
  edit: 'Bearbeiten',
  renew: 'Verlängern',
  link: 'Verwaltungslink',
  remove: 'Löschen',
  close: 'Schließen',
  cancel: 'Abbrechen',
  renewHeading: 'Verlängern',
  renewHint: 'Die Zeit zählt ab jetzt und kann früher enden als bisher.',
  replace: 'Ersetzen',
  replacing: (file) => `${file} wird hochgeladen`,
  replaced: (name) => `„${name}“ ist ersetzt.`,
  renewed: (name, when) => `„${name}“ ist verlängert und läuft ${when} ab.`,
  removeHeading: 'Diesen Eintrag löschen?',
  removeHint: (name) => `„${name}“ wird sofort gelöscht und lässt sich nicht zurückholen.`,
  removed: (name) => `„${name}“ ist gelöscht.`,
  qrHeading: 'QR-Code',
  linkHeading: 'Verwaltungslink',
  linkHint:
    'Öffnet diesen Eintrag auf einem anderen Gerät zum Ändern. Er enthält dein Besitzertoken: Wer den Link hat, kann alles ändern und löschen, was mit diesem Token veröffentlicht wurde.',
  copyLink: 'Link kopieren',
  unreachable: 'Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es noch einmal.',
  gone: (name) => `„${name}“ ist nicht mehr da.`,
  history: 'Aufrufe im Verlauf',
  lastHours: 'Letzte 24 Stunden',
  lastDays: 'Letzte 30 Tage',
  day: 'Tag',
  chartLabel: (chart, most) => `Aufrufe, ${chart}: höchstens ${most} auf einmal`,
  readers: 'Woher Leser kamen',
  otherHosts: 'Andere Seiten',
  noHost: 'Direkt oder unbekannt',
  historyHint: 'Zeiten sind in UTC. Adressen von Lesern werden dafür nicht gespeichert.',
};

export const domains: typeof en.domains = {
  heading: 'Eigene Domain',
  domain: 'Domain',
  set: 'Festlegen',
  type: 'Typ',
  name: 'Name',
  value: 'Wert',
  target: 'Führt zu',
  copyName: 'Namen des Eintrags kopieren',
  copyValue: 'Wert des Eintrags kopieren',
  copyTarget: 'Host kopieren, zu dem die Domain führt',
  check: 'Jetzt prüfen',
  remove: 'Domain entfernen',
  removeHeading: 'Domain entfernen?',
  removeHint: 'Dort ist dann nichts mehr zu sehen. Unter der bisherigen Adresse bleibt alles.',
  removed: 'Die Domain ist entfernt.',
  states: { pending: 'Wartet.', verified: 'Bestätigt.', active: 'Aktiv.', lost: 'Verloren.' },
  setIt: 'Lege diesen TXT-Eintrag bei deinem Domain-Anbieter an, und prüfe dann.',
  notThere: 'Der Eintrag ist noch nicht da. Bis ein neuer gesehen wird, kann eine Stunde vergehen.',
  held: 'Diese Domain gehört zu einer anderen Veröffentlichung, deren Eintrag noch da ist. Entferne jenen Eintrag, und prüfe dann.',
  noAnswer: 'Die Nameserver der Domain haben nicht geantwortet. Prüfe später noch einmal.',
  pointIt: (target) => `Die Domain gehört dir. Lass sie nun per CNAME oder Adresse zu ${target} führen.`,
  lostHint: (when) => `Der Eintrag fehlt. Lege ihn wieder an, sonst wird die Domain ${when} entfernt.`,
};

export const mine: typeof en.mine = {
  title: 'Meine Einträge',
  lead: 'Was mit den Besitzertoken veröffentlicht wurde, die dieser Browser aufbewahrt. Sie werden nur an diesen Server gesendet.',
  noScript: 'Diese Seite braucht JavaScript: Die Besitzertoken liegen in deinem Browser.',
  loading: 'Deine Einträge werden geladen',
  items: 'Einträge',
  search: 'Titel und Adressen durchsuchen',
  order: 'Reihenfolge',
  newest: 'Neueste zuerst',
  expiring: 'Bald ablaufende zuerst',
  mostViewed: 'Meistgesehene zuerst',
  more: 'Mehr zeigen',
  found: (count) => language.items(count),
  noMatch: 'Nichts passt dazu.',
  empty: 'Hier ist noch nichts.',
  emptyHint: 'Was du aus diesem Browser veröffentlichst, erscheint hier.',
  publish: 'Etwas veröffentlichen',
  tokens: 'Besitzertoken',
  tokensLead:
    'Mit einem Token änderst und löschst du, was damit veröffentlicht wurde, und niemand kann dir ein verlorenes wiedergeben. Sichere deine: Sie sind weg, wenn die Daten dieses Browsers gelöscht werden.',
  noTokens: 'In diesem Browser liegt kein Besitzertoken.',
  tokenItems: (count, kept) => `${language.items(count)}, hier seit ${kept}`,
  publishing: 'Neue Einträge bekommen dieses Token',
  publishWith: 'Für neue Einträge verwenden',
  copyToken: 'Kopieren',
  tokenLink: 'Link kopieren',
  forget: 'Entfernen',
  forgetHeading: 'Dieses Token entfernen?',
  forgetHint:
    'Es wird nur aus diesem Browser entfernt. Seine Einträge bleiben, bis sie ablaufen; ohne das Token kannst du sie nicht ändern oder löschen.',
  save: 'Als Datei sichern',
  fromFile: 'Aus einer Datei hinzufügen',
  addToken: 'Ein Token hinzufügen',
  add: 'Hinzufügen',
  addHeading: 'Dieses Besitzertoken hinzufügen?',
  addHint:
    'Der Link, den du geöffnet hast, enthält ein Besitzertoken. Ist es hinzugefügt, erscheinen seine Einträge hier. Was du veröffentlichst, bekommt weiter dein eigenes Token.',
  added: (count) =>
    count === 0
      ? 'Nichts Neues: Es liegt schon hier.'
      : count === 1
        ? 'Ein Token ist hinzugefügt.'
        : `${number(count)} Token sind hinzugefügt.`,
  noTokenIn: (file) => `In ${file} ist kein Besitzertoken.`,
  badToken: 'Ein Besitzertoken hat 16 bis 512 Zeichen.',
  forgotten: 'Das Token ist aus diesem Browser entfernt.',
  notKept:
    'Dieser Browser bewahrt für diese Seite nichts auf: in einem privaten Fenster oder nach seinen Einstellungen.',
};

export const manage: typeof en.manage = {
  title: 'Einen Eintrag verwalten',
  heading: 'Verwalten',
  noScript:
    'Diese Seite braucht JavaScript: Das Besitzertoken in ihrer Adresse erreicht den Server nicht von selbst.',
  ask: 'Das Besitzertoken dieses Eintrags liegt nicht in diesem Browser. Öffne seinen Verwaltungslink oder gib das Token ein.',
  token: 'Besitzertoken',
  open: 'Öffnen',
  wrong: 'Diesem Token gehört der Eintrag nicht.',
  missing: 'Einen solchen Eintrag gibt es nicht. Vielleicht ist er abgelaufen.',
  keep: 'Das Token in diesem Browser aufbewahren',
  keepHint: 'Dann bleibt der Eintrag hier unter „Meine Einträge“. Tu das nur auf deinen eigenen Geräten.',
  kept: 'Das Token ist aufbewahrt: siehe Meine Einträge.',
  mine: 'Meine Einträge',
};

export const editing: typeof en.editing = {
  views: 'Ansicht',
  edit: 'Bearbeiten',
  both: 'Nebeneinander',
  preview: 'Vorschau',
  empty: 'Schreibe zuerst etwas.',
  nothing: 'Noch gibt es nichts zu sehen.',
  noPreview: 'Gerade gibt es keine Vorschau: Der Server ist nicht erreichbar.',
  keys: 'Tab führt zum nächsten Feld.',
  leaveHeading: 'Verlassen, ohne zu speichern?',
  leaveHint: 'Was du hier geändert hast, ist nicht gespeichert und geht verloren.',
  leave: 'Verlassen',
  stay: 'Bleiben',
  phrases: {
    Find: 'Suchen',
    Replace: 'Ersetzen',
    next: 'weiter',
    previous: 'zurück',
    all: 'alle',
    'match case': 'Groß/klein',
    regexp: 'Regulärer Ausdruck',
    'by word': 'Ganze Wörter',
    replace: 'ersetzen',
    'replace all': 'alle ersetzen',
    close: 'schließen',
    'current match': 'Fundstelle',
    'on line': 'in Zeile',
    'replaced match on line $': 'in Zeile $ ersetzt',
    'replaced $ matches': '$ Stellen ersetzt',
    'Go to line': 'Gehe zu Zeile',
    go: 'los',
    'Selection deleted': 'Auswahl gelöscht',
    'Control character': 'Steuerzeichen',
  },
};

export const edit: typeof en.edit = {
  title: 'Eintrag bearbeiten',
  heading: 'Bearbeiten',
  noScript:
    'Diese Seite braucht JavaScript: Das Besitzertoken in ihrer Adresse erreicht den Server nie von selbst.',
  save: 'Speichern',
  saving: 'Wird gespeichert',
  saved: (time) => `Gespeichert um ${time}.`,
  unchanged: 'Seit dem Speichern hat sich nichts geändert.',
  unsaved: 'Noch nicht gespeichert.',
  open: 'Öffnen',
  manage: 'Verwalten',
  editable:
    'Seiten, JSON-Dokumente und Speicher lassen sich hier bearbeiten. Dateien und Websites haben eine Verwaltungsseite. Eine Website wird dort durch ein ZIP ersetzt; eine Datei wird dort gelöscht und neu veröffentlicht.',
  gone: 'Den Eintrag gibt es nicht mehr: Er ist abgelaufen oder gelöscht. Dein Text ist noch hier; kopiere ihn, wenn du ihn brauchst.',
  conflictHeading: 'Jemand anderes hat den Eintrag geändert',
  conflictLead:
    'Er ist nicht mehr so, wie du ihn geöffnet hast, deshalb wurde nichts gespeichert. Dein Text steht noch im Editor.',
  theirs: 'Deren Fassung ansehen',
  takeTheirs: 'Deren Fassung übernehmen',
  overwrite: 'Mit meiner überschreiben',
  keepMine: 'Mit meiner weitermachen',
  tookTheirs: 'Das ist, was die anderen gespeichert haben. Rückgängig bringt deinen Text zurück.',
  keptMine: 'Dein Text ist, wie er war, und nicht gespeichert.',
};

export const pairs: typeof en.pairs = {
  keys: 'Schlüssel',
  save: 'Speichern',
  remove: 'Löschen',
  removeHeading: 'Diesen Schlüssel löschen?',
  add: 'Hinzufügen',
  addHeading: 'Schlüssel hinzufügen',
  valueOf: (key) => `Wert von ${key}`,
  typeOf: (key) => `Typ des Werts von ${key}`,
  saved: (key) => `Der Schlüssel ${key} ist gespeichert.`,
  removed: (key) => `Der Schlüssel ${key} ist gelöscht.`,
  goneAlready: (key) => `Der Schlüssel ${key} war schon gelöscht.`,
  goneMeanwhile: (key) =>
    `Jemand anderes hat den Schlüssel ${key} inzwischen gelöscht. Nichts wurde gespeichert; speichere noch einmal, um ihn wieder anzulegen.`,
  isThere: (key) => `Den Schlüssel ${key} gibt es schon: Öffne ihn, um ihn zu ändern.`,
  noJson: (key) => `Der Wert von ${key} ist kein gültiges JSON.`,
  theirs:
    'Jemand anderes hat ihn inzwischen geändert, und zwar so. Nichts wurde gespeichert; beim nächsten Mal wird diese Fassung ersetzt.',
};
