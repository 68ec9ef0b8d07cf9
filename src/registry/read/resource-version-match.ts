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
import type { StreamingLists } from './streaming-lists.ts';

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
export function watchBegin(query: WatchQuery, naming: NamingProfile, streaming: StreamingLists): WatchBegin {
  assertValidMatch(watchMatchErrors(query, streaming), naming);
  const { resourceVersion, sendInitialEvents } = query;
  const revision = parseResourceVersion(resourceVersion) ?? 0;
  if (sendInitialEvents === true) {
    // The end is told by a bookmark: a client that wants none is told nothing.
    const initial = query.allowWatchBookmarks ? 'announced' : 'sent';
    return { start: stateFirst(resourceVersion), initial };
  }
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
  const { revision, past } = token;
  const freshness: Freshness =
    revision === undefined ? { kind: 'mostRecent' } : { kind: 'exact', revision, past };
  return { freshness, limit: options.limit, token };
}

const matchField = 'resourceVersionMatch';
const initialField = 'sendInitialEvents';
const withContinue = `${matchField} is forbidden when continue is provided`;

function listMatchErrors(options: ListOptions): FieldError[] {
  const { sendInitialEvents } = options;
  return [
    ...(options.resourceVersionMatch === '' ? [] : givenMatchErrors(options)),
    ...forbiddenIf(sendInitialEvents !== undefined, initialField, `${initialField} is forbidden for list`),
  ];
}

/** All that is wrong with the match of a list, in the order of the reference. */
function givenMatchErrors(options: ListOptions): FieldError[] {
  const { resourceVersionMatch: match, resourceVersion } = options;
  const isKnown = match === 'Exact' || match === 'NotOlderThan';
  const isExactly0 = match === 'Exact' && resourceVersion === '0';
  const unless = `${matchField} is forbidden unless resourceVersion is provided`;
  return [
    ...forbiddenIf(resourceVersion === '', matchField, unless),
    ...forbiddenIf(options.continue !== '', matchField, withContinue),
    ...(isKnown ? [] : [notSupported(matchField, match, ['Exact', 'NotOlderThan', ''])]),
    ...forbiddenIf(isExactly0, matchField, `${matchField} "exact" is forbidden for resourceVersion "0"`),
  ];
}

function watchMatchErrors(query: WatchQuery, streaming: StreamingLists): FieldError[] {
  const { resourceVersionMatch: match } = query;
  const options = { ...query, limit: 0, continue: query.continue ?? '' };
  if (streaming === 'unknown') return match === '' ? [] : [forWatch, ...givenMatchErrors(options)];
  const isGiven = query.sendInitialEvents !== undefined;
  const requires = `${initialField} requires setting ${matchField} to NotOlderThan`;
  const isOff = `${initialField} is forbidden for watch unless the WatchList feature gate is enabled`;
  return [
    ...forbiddenIf(isGiven && match !== 'NotOlderThan', matchField, requires),
    ...forbiddenIf(isGiven && streaming === 'refused', initialField, isOff),
    ...(match === '' ? [] : streamingMatchErrors(query)),
  ];
}

const forWatch = forbidden(matchField, `${matchField} is forbidden for watch`);

function streamingMatchErrors(query: WatchQuery): FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents } = query;
  const unless = `${matchField} is forbidden for watch unless ${initialField} is provided`;
  return [
    ...forbiddenIf(sendInitialEvents === undefined, matchField, unless),
    ...(match === 'NotOlderThan' ? [] : [notSupported(matchField, match, ['NotOlderThan'])]),
    ...forbiddenIf((query.continue ?? '') !== '', matchField, withContinue),
  ];
}

function forbiddenIf(holds: boolean, field: string, message: string): FieldError[] {
  return holds ? [forbidden(field, message)] : [];
}

function assertValidMatch(errors: readonly FieldError[], naming: NamingProfile): void {
  if (errors.length > 0) throw invalidObject({ group: metaGroup(naming), kind: 'ListOptions' }, '', errors);
}
