/** ClusterTrustBundle: certificates that a cluster trusts. */
import { X509Certificate } from 'node:crypto';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { column, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain, pathSegment } from '../validation/name-rules.ts';
import { unchanged } from '../validation/rules.ts';
import type { ClusterTrustBundle as BundleFields } from './v1beta1.types.ts';

type ClusterTrustBundle = Stored<BundleFields>;

const path = FieldPath.of('spec');
/** Parsing a certificate takes some 30 µs; an object of 1.5 MB has about a thousand. */
const maxCertificates = 2_000;

/** The name of a bundle with a signer begins with the signer's, whose slash is a colon there. */
function validateBundleName({ metadata, spec }: ClusterTrustBundle): FieldError[] {
  const { signerName = '' } = spec ?? {};
  const name = metadata.name ?? '';
  const at = FieldPath.of('metadata').child('name');
  if (signerName === '')
    return nameIsDns1123Subdomain(name, false).map((message) => invalid(at, name, message));
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (!name.startsWith(prefix))
    return [invalid(at, name, `should start with ${JSON.stringify(prefix)}, as spec.signerName is set`)];
  return dns1123Subdomain(name.slice(prefix.length)).map((message) => invalid(at, name, message));
}

function validateSigner(signerName: string): FieldError[] {
  const [domain = '', ...rest] = signerName.split('/');
  if (signerName === '' || (rest.length === 1 && rest[0] !== '' && dns1123Subdomain(domain).length === 0))
    return [];
  return [
    invalid(
      path.child('signerName'),
      signerName,
      'must be a fully qualified domain and path: example.com/name',
    ),
  ];
}

/** At least one certificate, nothing else but white space between blocks, each once. */
function validateCertificates(text: string): FieldError[] {
  const at = path.child('trustBundle');
  if (text.trim() === '') return [required(at)];
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const isOnlyBlocks =
    text.replace(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g, '').trim() === '';
  if (blocks.length === 0 || !isOnlyBlocks)
    return [invalid(at, '<value omitted>', 'must hold PEM blocks of type CERTIFICATE and nothing else')];
  if (blocks.length > maxCertificates)
    return [invalid(at, '<value omitted>', `must hold at most ${String(maxCertificates)} certificates`)];
  const seen = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    const problem = certificateProblem(block, seen);
    if (problem !== '') return [invalid(at, '<value omitted>', `block ${String(index)} ${problem}`)];
  }
  return [];
}

function certificateProblem(block: string, seen: Set<string>): string {
  try {
    const { fingerprint256 } = new X509Certificate(block);
    if (seen.has(fingerprint256)) return 'repeats an earlier certificate';
    seen.add(fingerprint256);
    return '';
  } catch {
    return 'is no certificate';
  }
}

export const clusterTrustBundles = defineResource<ClusterTrustBundle>({
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  namespaced: false,
  versions: [
    { version: 'v1beta1', introducedIn: '1.33', deprecatedIn: '1.37', removedIn: '1.40' },
    {
      version: 'v1alpha1',
      introducedIn: '1.26',
      deprecatedIn: '1.34',
      removedIn: '1.37',
      replacement: 'certificates.{api}/v1beta1 ClusterTrustBundle',
    },
  ],
  validateName: (name) => pathSegment(name),
  strategy: {
    unconditionalUpdate: false,
    validate: (bundle) => [
      ...validateBundleName(bundle),
      ...validateSigner(bundle.spec?.signerName ?? ''),
      ...validateCertificates(bundle.spec?.trustBundle ?? ''),
    ],
    validateUpdate: (next, current) =>
      unchanged(next.spec?.signerName ?? '', current.spec?.signerName ?? '', path.child('signerName')),
  },
  selectableFields: { 'spec.signerName': ({ spec }) => spec?.signerName ?? '' },
  columns: [
    nameColumn,
    column<ClusterTrustBundle>('SignerName', ({ spec }) => spec?.signerName || '<none>', {
      description: 'The signer that the certificates belong to.',
    }),
  ],
});
