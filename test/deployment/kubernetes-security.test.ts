import { expect, test } from 'bun:test';
import { ownHaObjects } from './kubernetes-ha.ts';
import { allObjects, ofKind, workloadsOf } from './kubernetes-objects.ts';

const objects = [...(await allObjects()), ...(await ownHaObjects())];
const workloads = workloadsOf(objects);

test('every pod keeps to the restricted standard, which the namespace enforces', () => {
  expect(ofKind(objects, 'Namespace')[0]?.metadata?.labels?.['pod-security.kubernetes.io/enforce']).toBe(
    'restricted',
  );
  for (const { name, pod } of workloads) {
    const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {};
    expect({ runAsNonRoot, seccompProfile }).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(runAsUser).toBeGreaterThan(0);
    for (const { securityContext } of pod.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    expect([pod.hostNetwork, pod.hostPID, pod.hostIPC]).toEqual([undefined, undefined, undefined]);
    expect(pod.volumes?.some(({ hostPath }) => hostPath !== undefined) ?? false).toBe(false);
    expect(pod.containers.map((container) => container.name)).toEqual(
      name === 'clamd' ? ['clamd', 'freshclam'] : [name],
    );
    expect([pod.initContainers, pod.ephemeralContainers]).toEqual([undefined, undefined]);
  }
});

test('no pod has an account for the cluster, or variables that nobody wrote', () => {
  for (const { pod } of workloads)
    expect([pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([false, false]);
});

test('no folder in a container grows without a limit', () => {
  for (const { pod } of workloads)
    for (const { emptyDir } of pod.volumes ?? [])
      if (emptyDir !== undefined) expect(emptyDir.sizeLimit).toBeString();
});
