/** Headers that browsers send for pages of other origins, and for those without one. */
export const FOREIGN: Array<Record<string, string>> = [
  { Origin: 'null' },
  { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
  { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'https://elsewhere.example' },
  { Origin: 'no address' },
  { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
];
