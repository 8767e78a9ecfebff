import { spawn } from 'node:child_process';
import { platform } from 'node:process';
import { toString as draw } from 'qrcode';
import { CommandError, EXIT } from './failures.ts';

/** Shows an address in the user's browser. */
export async function openInBrowser(url: string): Promise<void> {
  const [command = '', ...args] = commandFor(url);
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', () => {
      reject(
        new CommandError(`No browser can be opened here (${command} is missing): ${url}`, EXIT.unexpected),
      );
    });
  });
  child.unref();
}

function commandFor(url: string): string[] {
  if (platform === 'darwin') return ['open', url];
  // `start` would read `&` in the address as the end of a command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}

/** A QR code in characters of a terminal. */
export const qrOf = (text: string): Promise<string> => draw(text, { type: 'terminal', small: true });
