import { messageOf } from '../message-of.ts';
import { underlying } from '../perch-error.ts';

/**
 * Waits for a server that a setting names.
 * @throws Error that names the setting, and says what the server or its client has said: neither repeats a password
 */
export async function reach<T>(setting: string, server: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    const reason = underlying(error);
    throw new Error(`${setting}: ${server} cannot be used (${messageOf(reason)})`);
  }
}
