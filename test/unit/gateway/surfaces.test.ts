import { expect, test } from 'bun:test';
import { SURFACES } from '../../../services/gateway/http/surface.ts';
import { describedApp } from '../../openapi/app.ts';

test('endpoints of the operator, of agents and of supervisors are for no other origin, each of them', () => {
  const kept = /^\/(?:admin|api\/admin|mcp|metrics|readyz)(?:\/|$)/;
  const { routes } = describedApp();
  const named = routes.filter(({ path }) => kept.test(path));
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter(({ surface }) => SURFACES[surface].isOpenToOrigins)).toEqual([]);
  const open = routes.filter(({ path, surface }) => !kept.test(path) && !SURFACES[surface].isOpenToOrigins);
  expect(open).toEqual([]);
});
