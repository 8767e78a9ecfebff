import { expect, test } from 'bun:test';
import { resolve } from 'node:path';
import { allObjects, workloadsOf } from './kubernetes-objects.ts';

const COMPOSE = resolve(import.meta.dirname, '../../docker-compose.yml');

const workloads = workloadsOf(await allObjects());
const containers = workloads.flatMap(({ pod }) => pod.containers);
const compose = Bun.YAML.parse(await Bun.file(COMPOSE).text()) as {
  services: Record<string, { image?: string }>;
};

/** `${NAME:-default}` without the variable. */
const withDefaults = (image: string): string => image.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

test('every image is the one that docker compose runs under the same name', () => {
  const images = containers.map(({ name, image }) => [name, image]);
  const composed = containers.map(({ name }) => [name, withDefaults(compose.services[name]?.image ?? '')]);
  expect(images).toEqual(composed);
});

test('no start pulls another release of what ran before', () => {
  for (const { name, image = '', imagePullPolicy } of containers) {
    // Kubernetes' own default for this tag is to pull at each start.
    const isLatest = image.endsWith(':latest') || !image.includes(':');
    expect([name, imagePullPolicy]).toEqual([name, isLatest ? 'IfNotPresent' : undefined]);
  }
});
