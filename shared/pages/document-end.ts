/** Each rendered page ends with it: who finds it there has the whole page. */
export const DOCUMENT_END = '</html>\n';
