/** Estimates what a request costs before it is served, by what is stored and who watches (KEP-1040). */
import type { RequestInfo } from '../meta/request-info.ts';
import { narrowed, oneSeat, type WorkEstimate } from './work-estimate.ts';
import { mostSeats, type WorkRules } from './work-rules.ts';

/** The query of a request: '' where it lacks a parameter. */
export interface RequestParameters {
  get(name: string): string;
}

/** What is stored of a resource. */
export interface StoredCount {
  readonly objects: number;
  /** Average of an object; read only where sizes count. */
  readonly meanBytes: () => number;
}

/** The flow of a request, as far as its cost depends on it. */
export interface EstimatedFlow {
  /** Most seats that its level gives to one request; undefined: as many as the rules say. */
  readonly mostSeats: number | undefined;
  /** A write of it concerns so many watches. */
  noteWatches(count: number): void;
}

export interface EstimatorParts {
  readonly rules: WorkRules;
  /** What there is of a resource; none of one that another server serves. */
  readonly stored: (info: RequestInfo) => StoredCount;
  readonly watchesOf: (info: RequestInfo) => number;
}

const objectsPerSeat = 100;
const bytesPerSeat = 100_000;
/** What a list from the watch cache needs at once: it is streamed. */
const mostBytesFromCache = 1_000_000;
const watchesPerSeat = 10;
const eventMs = 5;

export class WorkEstimator {
  private readonly parts: EstimatorParts;

  constructor(parts: EstimatorParts) {
    this.parts = parts;
  }

  estimate(info: RequestInfo, parameters: RequestParameters, flow: EstimatedFlow): WorkEstimate {
    const { rules } = this.parts;
    const most = (rules.boundedByLevel ? flow.mostSeats : undefined) ?? Infinity;
    switch (info.isResourceRequest ? info.verb : '') {
      case 'list':
        return rules.countsObjects ? this.ofList(info, parameters, most) : oneSeat;
      case 'watch':
        return rules.countsInitialEvents && beginsWithState(parameters)
          ? this.ofList(info, parameters, most)
          : oneSeat;
      case 'create':
      case 'update':
      case 'patch':
      case 'delete':
        return rules.countsWatches ? this.ofWrite(info, flow, most) : oneSeat;
      default:
        return oneSeat;
    }
  }

  private ofList(info: RequestInfo, parameters: RequestParameters, levelSeats: number): WorkEstimate {
    const { rules } = this.parts;
    const most = Math.max(1, Math.min(levelSeats, rules.mostListSeats));
    if (!/^(?:[-+]?[0-9]{1,18})?$/.test(parameters.get('limit')))
      return { ...oneSeat, seats: rules.namesCostOne && info.name !== '' ? 1 : most };
    const seats = rules.bySize ? this.seatsBySize(info, parameters) : this.seatsByCount(info, parameters);
    return { ...oneSeat, seats: Math.max(1, Math.min(seats, most)) };
  }

  private seatsByCount(info: RequestInfo, parameters: RequestParameters): number {
    const { rules, stored } = this.parts;
    if (rules.namesCostOne && info.name !== '') return 1;
    const { objects } = stored(info);
    const page = pageOf(parameters, objects);
    let seen = 2 * page;
    if (this.isFromCache(info, parameters)) seen = objects;
    else if (isSelective(parameters)) seen = objects + page;
    return Math.ceil(seen / objectsPerSeat);
  }

  private seatsBySize(info: RequestInfo, parameters: RequestParameters): number {
    const { objects, meanBytes } = this.parts.stored(info);
    if (objects === 0) return 1;
    const isFromCache = this.isFromCache(info, parameters);
    let loaded = pageOf(parameters, objects);
    if (info.name !== '') loaded = 1;
    else if (!isFromCache && isSelective(parameters)) loaded = Math.max(loaded, Math.floor(objects / 2));
    const bytes = loaded * meanBytes();
    return Math.ceil((isFromCache ? Math.min(bytes, mostBytesFromCache) : bytes) / bytesPerSeat);
  }

  /** As the reference reads lists: what needs a state of the past, or a page of it, comes from etcd. */
  private isFromCache({ verb }: RequestInfo, parameters: RequestParameters): boolean {
    if (verb === 'watch') return true;
    const version = parameters.get('resourceVersion');
    const match = parameters.get('resourceVersionMatch');
    if (match !== '') return match === 'NotOlderThan';
    if (parameters.get('continue') !== '') return false;
    if (version === '') return this.parts.rules.newestFromCache;
    return version === '0' || !(Number(parameters.get('limit')) > 0);
  }

  private ofWrite(info: RequestInfo, flow: EstimatedFlow, levelSeats: number): WorkEstimate {
    // A token is no event.
    if (info.resource === 'serviceaccounts' && info.subresource === 'token') return oneSeat;
    const watches = this.parts.watchesOf(info);
    flow.noteWatches(watches);
    if (watches < watchesPerSeat) return oneSeat;
    const work = { seats: 1, finalSeats: Math.ceil(watches / watchesPerSeat), extraMs: eventMs };
    return narrowed(work, Math.max(1, Math.min(levelSeats, mostSeats)));
  }
}

function beginsWithState(parameters: RequestParameters): boolean {
  const version = parameters.get('resourceVersion');
  return version === '' || version === '0' || parameters.get('sendInitialEvents') === 'true';
}

function isSelective(parameters: RequestParameters): boolean {
  return parameters.get('labelSelector') !== '' || parameters.get('fieldSelector') !== '';
}

/** Objects of a page: all without a limit. */
function pageOf(parameters: RequestParameters, objects: number): number {
  const limit = Number(parameters.get('limit'));
  return limit > 0 ? Math.min(limit, objects) : objects;
}
