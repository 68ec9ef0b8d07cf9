/** Controllers by name, and what `--controllers` chooses of them. */
import { expandNames, type NamingProfile } from '../meta/naming.ts';

const onByDefault = [
  'namespace',
  'garbagecollector',
  'clusterrole-aggregation',
  'serviceaccount',
  'serviceaccount-token',
  'root-ca-cert-publisher',
  'resourcequota',
  'pvc-protection',
  'pv-protection',
  'validatingadmissionpolicy-status',
  'service-cidr-controller',
  'legacy-service-account-token-cleaner',
] as const;
/** Many have no use for bootstrap tokens. */
const offByDefault = ['bootstrapsigner', 'tokencleaner'] as const;

/**
 * Whether the release creates a Secret with a token for each service account; the feature gate
 * LegacyServiceAccountTokenNoAutoGeneration ended that in 1.24. @param minorVersion of the release
 */
export function createsTokenSecrets(minorVersion: number): boolean {
  return minorVersion < 24;
}

/** Every controller. */
export const controllerNames = [...onByDefault, ...offByDefault] as const;

export type ControllerName = (typeof controllerNames)[number];

/** Resources that controllers read and write, as keys of `--runtime-config` with placeholders of naming profiles. */
const resourcesOf: Readonly<Record<ControllerName, readonly string[]>> = {
  namespace: ['v1/namespaces'],
  garbagecollector: [],
  'clusterrole-aggregation': ['rbac.authorization.{api}/v1/clusterroles'],
  serviceaccount: ['v1/namespaces', 'v1/serviceaccounts'],
  'serviceaccount-token': ['v1/serviceaccounts', 'v1/secrets'],
  'root-ca-cert-publisher': ['v1/namespaces', 'v1/configmaps'],
  resourcequota: ['v1/resourcequotas'],
  'pvc-protection': ['v1/persistentvolumeclaims', 'v1/pods'],
  'pv-protection': ['v1/persistentvolumes'],
  // Many releases have no policies.
  'validatingadmissionpolicy-status': [],
  'service-cidr-controller': [],
  'legacy-service-account-token-cleaner': ['v1/secrets', 'v1/serviceaccounts', 'v1/pods', 'v1/configmaps'],
  bootstrapsigner: ['v1/configmaps', 'v1/secrets'],
  tokencleaner: ['v1/secrets'],
};

/**
 * The Lease whose holder runs the controllers. In both naming profiles it has a name of its own, so that a controller
 * manager of the reference, whose lease is `kube-controller-manager`, works beside them.
 */
export const controllersLease = 'orch-controller-manager';

/** One process of all runs the controllers: it holds a lease. */
const lease = 'coordination.{api}/v1/leases';

/** What a controller cannot be without, in the names of a profile. */
export function resourcesNeeded(name: ControllerName, naming: NamingProfile): string[] {
  return [lease, ...resourcesOf[name]].map((key) => expandNames(key, naming));
}

/**
 * Reads `--controllers`: `*` all that are on by default, `name` also that one, `-name` not that one.
 * @returns the chosen names, and the words that name no controller
 */
export function chooseControllers(words: readonly string[]): {
  names: Set<ControllerName>;
  unknown: string[];
} {
  const names = new Set<ControllerName>(words.includes('*') ? onByDefault : []);
  const unknown: string[] = [];
  for (const word of words.filter((w) => w !== '*' && w !== '')) {
    const name = controllerNames.find((n) => n === word.replace(/^-/, ''));
    if (name === undefined) unknown.push(word);
    else if (word.startsWith('-')) names.delete(name);
    else names.add(name);
  }
  return { names, unknown };
}
