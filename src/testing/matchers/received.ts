/** What a matcher is given: any object of the API, of any client. */

/** As much as matchers look at. */
export interface Received {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ReceivedMetadata;
  readonly status?: unknown;
}

export interface ReceivedMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly deletionTimestamp?: unknown;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerLike[];
  readonly managedFields?: readonly ManagedLike[];
}

export interface OwnerLike {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

export interface ManagedLike {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

/** What Jest and Vitest take. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * A result whose text says what was expected, of what, and what there is.
 * @param expected such as `to have finalizer a`; `not` is put before it where that was asked for
 * @param there lines about the object
 */
export function resultOf(
  received: unknown,
  {
    pass,
    expected,
    there,
  }: { readonly pass: boolean; readonly expected: string; readonly there: readonly string[] },
): MatcherResult {
  const message = (): string =>
    [`expected ${nameOf(received)} ${pass ? 'not ' : ''}${expected}`, ...there].join('\n');
  return { pass, message };
}

/** The fields of an object; none of what is none. */
export function objectOf(received: unknown): Received {
  return typeof received === 'object' && received !== null ? received : {};
}

/** `Pod default/web` */
function nameOf(received: unknown): string {
  const { kind, metadata } = objectOf(received);
  if (received === undefined || received === null) return `${String(received)} (is there no such object?)`;
  if (metadata?.name === undefined) return kind ?? 'what is no object of the API';
  const within = metadata.namespace === undefined ? '' : `${metadata.namespace}/`;
  return `${kind ?? 'object'} ${within}${metadata.name}`;
}

/** Lines under a heading, or a sentence that there are none. */
export function listed(what: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [`it has no ${what}`] : [`its ${what}:`, ...lines.map((line) => `  ${line}`)];
}
