/**
 * Resource version semantics of get, list and watch (Kubernetes API Concepts, "Resource versions"): every cell of the
 * three tables is implemented here.
 */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, notSupported } from '../../meta/field-error.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { metaGroup } from '../../meta/naming.ts';
import { parseResourceVersion } from '../../meta/resource-version.ts';
import { badRequest, invalidObject } from '../../meta/status.ts';
import type { Freshness, WatchStart } from '../../storage/types.ts';
import type { ContinueToken } from './continue-token.ts';
import { decodeContinueToken } from './continue-token.ts';
import type { ListOptions, WatchQuery } from '../types.ts';

/** Freshness of a get: Most Recent, Any or Not older than. @throws StatusError 400 */
export function getFreshness(resourceVersion: string): Freshness {
  return minimumFreshness(resourceVersion);
}

/** The start of a list. */
export interface ListStart {
  readonly freshness: Freshness;
  /** 0 for no limit. */
  readonly limit: number;
  /** Set when a token continues an earlier chunk. */
  readonly token: ContinueToken | undefined;
}

/**
 * Decides a cell of the list table.
 * @throws StatusError 400 (continue with a resourceVersion, malformed token or version), 422 (invalid match)
 */
export function listStart(options: ListOptions, naming: NamingProfile): ListStart {
  assertValidMatch(listMatchErrors(options), naming);
  if (options.continue !== '') return continued(options);
  const { resourceVersion, resourceVersionMatch: match, limit } = options;
  const revision = parseResourceVersion(resourceVersion);
  // As in kube-apiserver, version 0 is served from the watch cache and ignores the limit.
  if (revision === 0) return { freshness: { kind: 'any' }, limit: 0, token: undefined };
  const exact = match === 'Exact' || (match === '' && limit > 0);
  if (revision !== undefined && exact)
    return { freshness: { kind: 'exact', revision }, limit, token: undefined };
  return { freshness: minimumFreshness(resourceVersion), limit, token: undefined };
}

/** List options without the feature gate `APIListChunking`: limit and continue are ignored. */
export function withoutChunks(options: ListOptions): ListOptions {
  return { ...options, limit: 0, continue: '' };
}

/** The start of a watch, and whether the initial state is sent, sent with a final bookmark, or skipped. */
export interface WatchBegin {
  readonly start: WatchStart;
  readonly initial: 'sent' | 'announced' | 'skipped';
}

/**
 * Decides a cell of the watch table, and of `sendInitialEvents` (streaming lists).
 * @throws StatusError 400, 422
 */
export function watchBegin(query: WatchQuery, naming: NamingProfile): WatchBegin {
  assertValidMatch(watchMatchErrors(query), naming);
  const { resourceVersion, sendInitialEvents } = query;
  const revision = parseResourceVersion(resourceVersion) ?? 0;
  if (sendInitialEvents === true) return { start: stateFirst(resourceVersion), initial: 'announced' };
  if (revision > 0) return { start: { kind: 'after', revision }, initial: 'skipped' };
  return { start: stateFirst(resourceVersion), initial: sendInitialEvents === false ? 'skipped' : 'sent' };
}

function stateFirst(resourceVersion: string): WatchStart {
  return { kind: 'stateThenChanges', freshness: minimumFreshness(resourceVersion) };
}

function minimumFreshness(resourceVersion: string): Freshness {
  const revision = parseResourceVersion(resourceVersion);
  if (revision === undefined) return { kind: 'mostRecent' };
  return revision === 0 ? { kind: 'any' } : { kind: 'notOlderThan', revision };
}

function continued(options: ListOptions): ListStart {
  if (options.resourceVersion !== '' && parseResourceVersion(options.resourceVersion) !== 0) {
    throw badRequest(
      'specifying resource version is not allowed when using continue: leave out resourceVersion',
    );
  }
  const token = decodeContinueToken(options.continue);
  const freshness: Freshness =
    token.revision === undefined ? { kind: 'mostRecent' } : { kind: 'exact', revision: token.revision };
  return { freshness, limit: options.limit, token };
}

const matchField = 'resourceVersionMatch';

function listMatchErrors(options: ListOptions): FieldError[] {
  const match = options.resourceVersionMatch;
  if (match === '') return [];
  if (match !== 'Exact' && match !== 'NotOlderThan')
    return [notSupported(matchField, match, ['Exact', 'NotOlderThan', ''])];
  if (options.continue !== '')
    return [forbidden(matchField, `${matchField} is forbidden when continue is provided`)];
  if (options.resourceVersion === '') {
    return [forbidden(matchField, `${matchField} is forbidden unless resourceVersion is provided`)];
  }
  if (match === 'Exact' && options.resourceVersion === '0') {
    return [forbidden(matchField, `${matchField} "Exact" is forbidden for resourceVersion "0"`)];
  }
  return [];
}

function watchMatchErrors(query: WatchQuery): FieldError[] {
  const match = query.resourceVersionMatch;
  if (query.sendInitialEvents === undefined) {
    return match === ''
      ? []
      : [forbidden(matchField, `${matchField} is forbidden for watch unless sendInitialEvents is provided`)];
  }
  if (match !== 'NotOlderThan') {
    return [forbidden(matchField, `sendInitialEvents requires setting ${matchField} to NotOlderThan`)];
  }
  if (query.sendInitialEvents && !query.allowWatchBookmarks) {
    return [forbidden('allowWatchBookmarks', 'sendInitialEvents requires allowWatchBookmarks')];
  }
  return [];
}

function assertValidMatch(errors: readonly FieldError[], naming: NamingProfile): void {
  if (errors.length > 0) throw invalidObject({ group: metaGroup(naming), kind: 'ListOptions' }, '', errors);
}
