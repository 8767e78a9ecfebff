import { toString as draw } from 'qrcode';

/** A QR code in characters of a terminal. */
export const qrOf = (text: string): Promise<string> => draw(text, { type: 'terminal', small: true });
