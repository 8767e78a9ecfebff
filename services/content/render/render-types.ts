export interface RenderInput {
  readonly format: 'MARKDOWN' | 'TEXT';
  /** Language of a TEXT page as a highlight.js name or alias (`yaml`, `toml`, …), or null for plain text. */
  readonly language: string | null;
  readonly content: string;
  readonly title: string | null;
  /** The title of a page that neither has nor was given one. */
  readonly filename: string | null;
}

export interface RenderedPage {
  /** A complete document without scripts and without external stylesheets. */
  readonly html: string;
  /** The given title, else the first heading of a markdown page, else the filename, else null. */
  readonly title: string | null;
}
