import { bytes, riff, riffChunk, uint32LittleEndian } from '../hostile/bytes.ts';

const SAMPLES_A_SECOND = 8000;

/** Silence in WAV, 8 bits a sample, one channel. */
export function sound(seconds: number): Uint8Array {
  const rate = uint32LittleEndian(SAMPLES_A_SECOND);
  const format = bytes([1, 0, 1, 0], rate, rate, [1, 0, 8, 0]);
  const samples = new Uint8Array(seconds * SAMPLES_A_SECOND).fill(128);
  return riff('WAVE', riffChunk('fmt ', format), riffChunk('data', samples));
}
