/**
 * Naming profiles: the only place that spells the vocabulary's names (group domains, label domains, media types). All
 * other code reads the profile, or writes a placeholder (`{api}`, `{label}`, `{x}`, `{vendor}`, `{ns}`) in catalogue
 * data and has it expanded when the catalogue is built.
 */

/** The names that differ between the service's own vocabulary and the Kubernetes one. */
export interface NamingProfile {
  readonly name: 'orch' | 'kubernetes';
  /** Domain of API groups: `storage.<apiDomain>`. Placeholder `{api}`. */
  readonly apiDomain: string;
  /** Domain of well-known labels, annotations, secret types, finalizers, signers. Placeholder `{label}`. */
  readonly labelDomain: string;
  /** Vendor word of media types: `application/vnd.<vendor>.protobuf`. Placeholder `{vendor}`. */
  readonly vendor: string;
  /** Prefix of schema extensions: `x-<word>-`. Placeholder `{x}`. */
  readonly extensionPrefix: string;
  /**
   * Words that common clients hard-code: extensions are written under `x-<word>-` too, and Protobuf bodies of that
   * vendor are read. Without this their schema checks and their typed writes would fail.
   */
  readonly clientWords: readonly string[];
  /** First word of encrypted values in etcd: `<word>:enc:aescbc:v1:`. */
  readonly encryptionWord: string;
  /** First word of system namespaces and objects: `<word>-system`, `<word>-root-ca.crt`. Placeholder `{ns}`. */
  readonly systemPrefix: string;
  /** Name of the Service of the API in namespace `default`, and its label `provider`. */
  readonly serviceName: string;
  /** The finalizer in a Namespace's `spec.finalizers`: the same in all profiles, for clients look for it. */
  readonly namespaceFinalizer: string;
  /** Finalizers that stand in its place in namespaces of earlier builds. */
  readonly formerNamespaceFinalizers: readonly string[];
  /** A watch of a version that is too old begins, and ends with an error event: clients cannot read a refusal. */
  readonly expiredWatchesBegin: boolean;
}

const orch: NamingProfile = {
  name: 'orch',
  apiDomain: 'orch.io',
  labelDomain: 'orch.io',
  vendor: 'orch',
  extensionPrefix: 'x-orch-',
  clientWords: ['kubernetes'],
  systemPrefix: 'orch',
  serviceName: 'orch',
  namespaceFinalizer: 'kubernetes',
  formerNamespaceFinalizers: ['orch'],
  expiredWatchesBegin: false,
  encryptionWord: 'orch',
};

const kubernetes: NamingProfile = {
  name: 'kubernetes',
  apiDomain: 'k8s.io',
  labelDomain: 'kubernetes.io',
  vendor: 'kubernetes',
  extensionPrefix: 'x-kubernetes-',
  clientWords: [],
  systemPrefix: 'kube',
  encryptionWord: 'k8s',
  serviceName: 'kubernetes',
  namespaceFinalizer: 'kubernetes',
  formerNamespaceFinalizers: [],
  expiredWatchesBegin: true,
};

/** Every profile by the value of the flag `--naming`. */
export const namingProfiles: Readonly<Record<NamingProfile['name'], NamingProfile>> = { orch, kubernetes };

/** Replaces the placeholders of a catalogue text by the profile's words; other text is unchanged. */
export function expandNames(text: string, naming: NamingProfile): string {
  if (!text.includes('{')) return text;
  return text
    .replaceAll('{api}', naming.apiDomain)
    .replaceAll('{label}', naming.labelDomain)
    .replaceAll('{vendor}', naming.vendor)
    .replaceAll('{x}', naming.extensionPrefix)
    .replaceAll('{ns}', naming.systemPrefix);
}

/** Media type of the Protobuf representation (API concepts, "Alternate representations of resources"). */
export function protobufMediaType(naming: NamingProfile): string {
  return `application/vnd.${naming.vendor}.protobuf`;
}

/** Media types of Protobuf bodies that are read. */
export function protobufBodyTypes(naming: NamingProfile): readonly string[] {
  return [naming.vendor, ...naming.clientWords].map((vendor) => `application/vnd.${vendor}.protobuf`);
}

/** A schema extension under every prefix that it is written with. */
export function schemaExtension<T>(naming: NamingProfile, name: string, value: T): Record<string, T> {
  const prefixes = [naming.extensionPrefix, ...naming.clientWords.map((word) => `x-${word}-`)];
  return Object.fromEntries(prefixes.map((prefix) => [prefix + name, value]));
}

/** Annotations in which command-line clients keep what they applied; the profile's own first. */
export function lastAppliedAnnotations(naming: NamingProfile): readonly string[] {
  const domains = [naming.labelDomain, ...naming.clientWords.map((word) => `${word}.io`)];
  return domains.map((domain) => `kubectl.${domain}/last-applied-configuration`);
}

/** The group that Table and PartialObjectMetadata live in. */
export function metaGroup(naming: NamingProfile): string {
  return `meta.${naming.apiDomain}`;
}

/** The group of the aggregated discovery document. */
export function discoveryGroup(naming: NamingProfile): string {
  return `apidiscovery.${naming.apiDomain}`;
}

/** The namespaces that always exist and cannot be deleted. */
export function immortalNamespaces(naming: NamingProfile): readonly string[] {
  return ['default', `${naming.systemPrefix}-system`, `${naming.systemPrefix}-public`];
}

/** The namespace of system objects: bootstrap tokens, leases of the controllers. */
export function systemNamespace(naming: NamingProfile): string {
  return `${naming.systemPrefix}-system`;
}
