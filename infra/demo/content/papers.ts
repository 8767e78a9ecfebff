import type { Random } from '../../random.ts';
import type { DemoDraft } from '../demo-item.ts';
import { slug } from './pictures.ts';

export const TABLES = [
  'Birds at the feeder',
  'Household spending',
  'Commute times',
  'Seedling heights',
  'Tide levels',
  'Rainfall',
  'Library loans',
];

export function fillTable(random: Random, subject: string): DemoDraft {
  const rows = Array.from({ length: random.between(20, 60) }, (_, n) => {
    const day = String((n % 28) + 1).padStart(2, '0');
    const month = String(Math.floor(n / 28) + 9).padStart(2, '0');
    return `2026-${month}-${day},${random.pick(['morning', 'noon', 'evening'])},${random.between(0, 400) / 10}`;
  });
  const bytes = Buffer.from(`date,time,value\n${rows.join('\n')}\n`);
  return {
    title: `${subject} (table)`,
    tags: ['data', 'csv'],
    content: { kind: 'file', filename: `${slug(subject)}.csv`, bytes },
  };
}

export const LEAFLETS = [
  'How to bleed a radiator',
  'House rules',
  'First aid at the lake',
  'Composting in a flat',
  'Moving day checklist',
  'Lending a bicycle',
];

/** A PDF of one page with a few lines of text (ISO 32000-1, sections 7.5 and 9). */
export function printLeaflet(random: Random, title: string): DemoDraft {
  const lines = random.sample(
    [
      'Take your time, and do it in daylight.',
      'Ask somebody to hold the other end.',
      'Put everything back where it was.',
      'Keep a cloth and a bucket at hand.',
      'Write down what you have changed.',
      'When in doubt, stop and call.',
    ],
    4,
  );
  const shown = lines.map((line, n) => `(${n + 1}.  ${line}) Tj T*`).join(' ');
  const drawing = `BT /F1 26 Tf 60 760 Td (${title}) Tj /F1 14 Tf 0 -60 Td 24 TL ${shown} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, n) => {
    const place = text.length;
    text += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const bytes = Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
  return {
    title,
    tags: ['leaflet', 'pdf'],
    content: { kind: 'file', filename: `${slug(title)}.pdf`, bytes },
  };
}

export const LOGS = ['Night shift', 'Router upstairs', 'Bread machine', 'Greenhouse door'];

export function keepLog(random: Random, source: string): DemoDraft {
  const events = ['started', 'checked, nothing to do', 'waiting', 'retried once', 'finished', 'door opened'];
  const lines = Array.from(
    { length: random.between(30, 80) },
    (_, n) =>
      `2026-11-20T${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}:00Z ${random.pick(['INFO', 'INFO', 'WARN'])} ${random.pick(events)}`,
  );
  return {
    title: `${source}: log`,
    tags: ['log', 'text'],
    content: { kind: 'file', filename: `${slug(source)}.log`, bytes: Buffer.from(`${lines.join('\n')}\n`) },
  };
}
