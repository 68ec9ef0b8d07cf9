/** The policy that a service begins with, as it is once the aggregated roles have their rules. */
import {
  bootstrapPolicy,
  type BootstrapRbacObject,
} from '../../../../src/authz/bootstrap/bootstrap-policy.ts';
import { Slice } from '../../../../src/base/cooperate.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { atOnce } from '../../../../src/base/sliced-work.ts';
import {
  gatheredRules,
  knownRole,
  type KnownRole,
} from '../../../../src/controllers/cluster-role-aggregation/gather-rules.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { asApiObject } from '../../../../src/meta/object.ts';

export const policy: readonly BootstrapRbacObject[] = bootstrapPolicy(namingProfiles.orch);

/** Every role by `<namespace>/<name>` or name, with its rules. */
export async function completeRoles(): Promise<Map<string, BootstrapRbacObject>> {
  const roles = policy.filter(({ plural }) => !plural.endsWith('bindings'));
  const known = new Map<string, KnownRole>();
  for (const { plural, name, object } of roles)
    if (plural === 'clusterroles') known.set(name, atOnce(knownRole(asApiObject(object))));
  // edit gathers view, and admin edit.
  for (const name of ['view', 'edit', 'admin']) {
    const role = known.get(name)!;
    known.set(name, { ...role, rules: await gatheredRules(role, known.values(), new Slice()) });
  }
  return new Map(
    roles.map((role) => {
      const gathered = role.plural === 'clusterroles' ? known.get(role.name)?.rules : undefined;
      const object: JsonObject = { ...role.object, ...(gathered && { rules: [...gathered] }) };
      return [role.namespace === '' ? role.name : `${role.namespace}/${role.name}`, { ...role, object }];
    }),
  );
}
