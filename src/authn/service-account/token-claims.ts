/**
 * Claims of service account tokens. There are two forms, distinguished by their issuer:
 *
 * legacy  lies in a Secret and lives as long as it; says its account and its Secret in flat claims
 * bound   has an audience and an end, and may be bound to a Pod, a Secret or a Node; says all of it below one private
 *         claim, for a Pod also which Node it is on (KEP-4193)
 */
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { accountUserName } from '../../meta/user.ts';
import { textClaim } from '../jwt.ts';

export interface ObjectIdentity {
  readonly name: string;
  readonly uid: string;
}

export type BoundKind = 'Pod' | 'Secret' | 'Node';

/** The Node of a Pod; '' for the uid of one that did not exist when the token was made. */
export type NodeIdentity = ObjectIdentity;

/** Whom a token stands for, and what it lives with. */
export interface TokenSubject {
  readonly namespace: string;
  readonly account: ObjectIdentity;
  /** The token dies with this object. The uid of a legacy token's Secret is unknown: ''. */
  readonly bound: ({ readonly kind: BoundKind } & ObjectIdentity) | undefined;
  /** Where the Pod runs that the token is bound to; undefined: the token does not say. */
  readonly node?: NodeIdentity | undefined;
  /** Seconds since 1970 after which a use is noted: the token should have been renewed. */
  readonly warnAfter?: number | undefined;
}

/** The issuer of legacy tokens. */
export function legacyIssuer(naming: NamingProfile): string {
  return `${naming.vendor}/serviceaccount`;
}

/** The issuer of bound tokens, and thus their audience, where no flag says otherwise. */
export function defaultIssuer(naming: NamingProfile): string {
  return `https://${naming.vendor}.default.svc.cluster.local`;
}

/** The claims of a token that lies in a Secret. */
export function legacyClaims(subject: TokenSubject, naming: NamingProfile): JsonObject {
  const { namespace, account, bound } = subject;
  const claim = legacyClaimNames(naming);
  return {
    iss: legacyIssuer(naming),
    [claim.namespace]: namespace,
    [claim.secret]: bound?.name ?? '',
    [claim.account]: account.name,
    [claim.uid]: account.uid,
    sub: accountUserName(namespace, account.name),
  };
}

/** Reads legacy claims; undefined when one is missing or contradicts the subject. */
export function readLegacyClaims(claims: JsonObject, naming: NamingProfile): TokenSubject | undefined {
  const claim = legacyClaimNames(naming);
  const namespace = textClaim(claims, claim.namespace);
  const account = { name: textClaim(claims, claim.account), uid: textClaim(claims, claim.uid) };
  const secret = textClaim(claims, claim.secret);
  if ([namespace, account.name, account.uid, secret].includes('')) return undefined;
  if (textClaim(claims, 'sub') !== accountUserName(namespace, account.name)) return undefined;
  return { namespace, account, bound: { kind: 'Secret', name: secret, uid: '' } };
}

function legacyClaimNames({ labelDomain }: NamingProfile) {
  return {
    namespace: `${labelDomain}/serviceaccount/namespace`,
    secret: `${labelDomain}/serviceaccount/secret.name`,
    account: `${labelDomain}/serviceaccount/service-account.name`,
    uid: `${labelDomain}/serviceaccount/service-account.uid`,
  };
}

/** The claims of a bound token but for issuer, audience and times. */
export function boundClaims(subject: TokenSubject, naming: NamingProfile): JsonObject {
  const { namespace, account, bound, node, warnAfter } = subject;
  const objects = {
    ...(node && { node: { name: node.name, ...(node.uid !== '' && { uid: node.uid }) } }),
    ...(bound && { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
    serviceaccount: { name: account.name, uid: account.uid },
    ...(warnAfter !== undefined && { warnafter: warnAfter }),
  };
  return {
    [naming.labelDomain]: { namespace, ...objects },
    sub: accountUserName(namespace, account.name),
  };
}

/** Reads bound claims; undefined when one is missing or contradicts the subject. */
export function readBoundClaims(claims: JsonObject, naming: NamingProfile): TokenSubject | undefined {
  const boundClaim = claims[naming.labelDomain];
  if (!isObject(boundClaim)) return undefined;
  const namespace = textClaim(boundClaim, 'namespace');
  const account = identityOf(boundClaim['serviceaccount']);
  if (namespace === '' || !account) return undefined;
  if (textClaim(claims, 'sub') !== accountUserName(namespace, account.name)) return undefined;
  const kind = boundKinds.find((k) => boundClaim[k.toLowerCase()] !== undefined);
  const warnAfter = numberClaim(boundClaim['warnafter']);
  if (kind === undefined) return { namespace, account, bound: undefined, warnAfter };
  const object = identityOf(boundClaim[kind.toLowerCase()]);
  const node = kind === 'Pod' ? nodeIdentityOf(boundClaim['node']) : undefined;
  return object && { namespace, account, bound: { kind, ...object }, node, warnAfter };
}

/** A Pod comes first: beside it, the Node says where it runs. */
const boundKinds: readonly BoundKind[] = ['Pod', 'Secret', 'Node'];

function nodeIdentityOf(value: JsonValue | undefined): NodeIdentity | undefined {
  const name = isObject(value) ? textClaim(value, 'name') : '';
  return isObject(value) && name !== '' ? { name, uid: textClaim(value, 'uid') } : undefined;
}

/** Zero is as good as none. */
function numberClaim(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value !== 0 ? value : undefined;
}

function identityOf(value: JsonValue | undefined): ObjectIdentity | undefined {
  if (!isObject(value)) return undefined;
  const identity = { name: textClaim(value, 'name'), uid: textClaim(value, 'uid') };
  return identity.name === '' || identity.uid === '' ? undefined : identity;
}
