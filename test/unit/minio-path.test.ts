import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minioPath } from '../../infra/servers/s3.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-minio-'));
  await writeFile(join(folder, 'minio'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(folder, 'another'), '#!/bin/sh\n', { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('MinIO is what MINIO_BIN names, else what is in the path, else none', () => {
  const [inPath, another] = [join(folder, 'minio'), join(folder, 'another')];
  expect(minioPath({ PATH: folder, MINIO_BIN: another })).toBe(another);
  expect(minioPath({ PATH: folder })).toBe(inPath);
  expect(minioPath({ PATH: join(folder, 'empty') })).toBeNull();
  expect(minioPath({ PATH: folder, MINIO_BIN: '' })).toBeNull();
});

test('a MINIO_BIN that names no file is an error, not another server', () => {
  expect(() => minioPath({ PATH: folder, MINIO_BIN: join(folder, 'missing') })).toThrow('MINIO_BIN is');
});
