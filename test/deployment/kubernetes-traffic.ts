import type { INetworkPolicyPeer, INetworkPolicyPort } from 'kubernetes-models/networking.k8s.io/v1';
import { type KubernetesObject, type Labels, type OfKind, ofKind, selects } from './kubernetes-objects.ts';

type LabelSelector = NonNullable<OfKind<'NetworkPolicy'>['spec']>['podSelector'];

/** A party of a connection: a pod of ours, one outside of the namespace, or `null` for one outside of the cluster. */
export type Party = { pod: Labels } | { namespace: Labels } | null;

/**
 * Whether the NetworkPolicies of one namespace let a connection through, as Kubernetes documents them: a pod that no
 * policy of a direction selects is open, and rules add up.
 */
export function letsThrough(objects: KubernetesObject[], from: Party, to: Party, port: number): boolean {
  const policies = ofKind(objects, 'NetworkPolicy').flatMap(({ spec }) => spec ?? []);
  const passes = (direction: 'Ingress' | 'Egress', own: Party, other: Party): boolean => {
    if (own === null || !('pod' in own)) return true;
    const selecting = policies.filter(
      ({ podSelector, policyTypes = [] }) => policyTypes.includes(direction) && matches(podSelector, own.pod),
    );
    if (selecting.length === 0) return true;
    const rules = selecting.flatMap(({ ingress = [], egress = [] }) =>
      direction === 'Ingress'
        ? ingress.map((rule) => ({ peers: rule.from, ports: rule.ports }))
        : egress.map((rule) => ({ peers: rule.to, ports: rule.ports })),
    );
    return rules.some(({ peers, ports }) => isOneOf(peers, other) && hasPort(ports, port));
  };
  return passes('Egress', from, to) && passes('Ingress', to, from);
}

const hasPort = (ports: INetworkPolicyPort[] | undefined, port: number): boolean =>
  ports === undefined || ports.some((allowed) => allowed.port === port);

function isOneOf(peers: INetworkPolicyPeer[] | undefined, party: Party): boolean {
  if (peers === undefined) return true;
  return peers.some(({ podSelector, namespaceSelector, ipBlock }) => {
    if (ipBlock !== undefined) {
      if (!isPublic(ipBlock)) throw new Error('other addresses than all public ones are not looked at here');
      return party === null;
    }
    if (party === null) return false;
    if ('namespace' in party) return matches(namespaceSelector, party.namespace) && podSelector === undefined;
    return namespaceSelector === undefined && matches(podSelector, party.pod);
  });
}

/** Whether a block has all public addresses and none of those that clusters give to pods. */
const isPublic = ({ cidr, except = [] }: { cidr: string; except?: string[] }): boolean =>
  cidr === '2000::/3' ||
  (cidr === '0.0.0.0/0' &&
    ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'].every((own) => except.includes(own)));

function matches(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  const expressions = selector.matchExpressions ?? [];
  return (
    selects(selector.matchLabels, labels) &&
    expressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`${operator} is not looked at here`);
      return values.includes(labels[key] ?? '');
    })
  );
}
