/** Known defects of what replicas have above their storage, see `mutations.ts`. */
import type { Mutation } from './mutations.ts';

const collector = 'controllers/garbage-collector/';

function known(mutations: Readonly<Record<string, Omit<Mutation, 'level'>>>): Record<string, Mutation> {
  return Object.fromEntries(
    Object.entries(mutations).map(([name, mutation]) => [name, { ...mutation, level: 'controllers' }]),
  );
}

export const withControllers: Readonly<Record<string, Mutation>> = known({
  'quota-not-charged': {
    file: 'admission/resource-quota.ts',
    find: '...sumAmounts(limitedBy(more, used), more) }',
    replace: '...sumAmounts(limitedBy(more, used), {}) }',
    broken: 'what is created is charged to the quota before it is stored',
  },
  'namespace-not-a-condition': {
    file: 'admission/namespace-lifecycle.ts',
    find: 'attributes.dependOn?.({',
    replace: '((_state: unknown) => undefined)({',
    broken: 'a creation is bound to the namespace as it was seen',
  },
  'namespace-gone-before-its-content': {
    file: 'controllers/namespace/delete-content.ts',
    find: 'return remaining.objects.size === 0 && ',
    replace: 'return ',
    broken: 'a namespace goes when nothing is left in it',
  },
  'finalizers-passed-over': {
    file: 'registry/write/finalizers.ts',
    find: '(metadata.finalizers ?? []).length === 0 &&',
    replace: '(metadata.finalizers ?? []).length <= 1 &&',
    broken: 'an object with a finalizer stays',
  },
  'owner-absent-from-the-graph': {
    file: `${collector}processor.ts`,
    find: 'if (live?.uid !== owner.uid) {',
    replace: 'if (options.builder().graph.get(owner.uid)?.virtual !== false) {',
    broken: 'whether an owner exists is read, since the graph may not know it yet',
  },
  'orphans-not-set-free': {
    file: `${collector}processor.ts`,
    find: 'for (const dependent of [...node.dependents]) {',
    replace: 'for (const dependent of [...node.dependents].slice(1)) {',
    broken: 'dependents are set free before what orphans them goes',
  },
  'dependents-forgotten': {
    file: `${collector}graph-builder.ts`,
    find: 'this.decisions.attemptToDeleteAll(dependents);',
    replace: 'this.decisions.attemptToDeleteAll(dependents.slice(1));',
    broken: 'the dependents of what is gone are looked at',
  },
  'lease-taken-early': {
    file: 'controllers/leader-election.ts',
    find: 'this.seenAt > leaseDurationSeconds * 1000',
    replace: 'this.seenAt > leaseDurationSeconds * 100',
    broken: 'a lease is taken only when it was not renewed for its whole duration',
  },
  'leads-on-unrenewed': {
    file: 'controllers/leader-election.ts',
    find: 'clock.monotonic() - renewedAt >= renewDeadlineMs',
    replace: 'clock.monotonic() - renewedAt >= 10 * renewDeadlineMs',
    broken: 'who cannot renew its lease stops before others may take it',
  },
  'address-taken-twice': {
    file: 'storage/write/guarded-write.ts',
    find: 'compare.push(...claims.compare);',
    replace: 'compare.push(...claims.compare.slice(1));',
    broken: 'an address is taken only while nobody holds it',
  },
  'address-not-given-back': {
    file: 'registry/allocation/claims.ts',
    find: 'const release = allocation.held(object).slice(0, maxClaims).map(claimKey);',
    replace: 'const release = allocation.held(object).slice(1, maxClaims).map(claimKey);',
    broken: 'what is deleted gives its addresses and node ports back',
  },
});
