/** Status, alarms and space of the database. */
import {
  int,
  type AlarmMember,
  type AlarmRequest,
  type HeaderResponse,
  type ResponseHeader,
} from './messages.ts';
import type { MemoryEtcdOptions } from './options.ts';
import { DatabaseSpace } from './quota.ts';
import { rulesOf } from './release.ts';
import { serverError } from './server-error.ts';
import type { Store } from './store.ts';

const alarmAction = { get: 0, activate: 1, deactivate: 2 } as const;
const noSpaceAlarm = 1;
const alarmNames = ['NONE', 'NOSPACE', 'CORRUPT'];

export interface MaintenanceContext {
  readonly options: Required<MemoryEtcdOptions>;
  readonly store: () => Store;
  readonly header: () => ResponseHeader;
}

export interface StatusResponse extends HeaderResponse {
  readonly version: string;
  readonly dbSize: number;
  readonly leader: ResponseHeader['member_id'];
  readonly raftIndex: number;
  readonly raftTerm: ResponseHeader['raft_term'];
  readonly raftAppliedIndex: number;
  readonly errors: readonly string[];
  readonly dbSizeInUse: number;
  readonly isLearner: boolean;
}

export interface AlarmResponse {
  readonly header: ResponseHeader | null;
  readonly alarms: readonly AlarmMember[];
}

export class MaintenanceService {
  readonly #context: MaintenanceContext;
  #space: DatabaseSpace;
  readonly #alarms = new Map<string, AlarmMember>();

  constructor(context: MaintenanceContext) {
    this.#context = context;
    this.#space = this.#newSpace();
  }

  /** Refuses what there is no room for, and raises the alarm. @throws GrpcError */
  claimSpace(cost: number): void {
    if (this.#space.hasRoomFor(cost)) return;
    this.#raise({ memberID: this.#context.options.memberId, alarm: noSpaceAlarm });
    throw serverError('noSpace');
  }

  /** Refuses whatever takes space while the alarm is raised. @throws GrpcError */
  checkAlarm(cost: number): void {
    if (cost > 0 && this.#of(noSpaceAlarm).length > 0) throw serverError('noSpace');
  }

  status(): StatusResponse {
    const { options, header, store } = this.#context;
    const { revision } = store();
    return {
      header: header(),
      version: rulesOf(options.emulates).version,
      dbSize: this.#space.size,
      leader: options.memberId,
      raftIndex: revision,
      raftTerm: options.raftTerm,
      raftAppliedIndex: revision,
      errors: [...this.#alarms.values()].map(alarmText),
      dbSizeInUse: this.#space.sizeInUse,
      isLearner: false,
    };
  }

  alarm({ action = 0, alarm = 0, memberID = 0 }: AlarmRequest): AlarmResponse {
    const member = { memberID, alarm };
    const { options, header: newHeader } = this.#context;
    const header = rulesOf(options.emulates).alarmsHaveHeader ? newHeader() : null;
    if (action === alarmAction.get) return { header, alarms: this.#of(alarm) };
    if (action === alarmAction.activate) {
      this.#raise(member);
      return { header, alarms: [member] };
    }
    const isKnown = this.#alarms.delete(alarmText(member));
    return { header, alarms: isKnown ? [member] : [] };
  }

  /** Gives the space of what was compacted back. */
  defragment(): HeaderResponse {
    this.#space.defragment();
    return { header: this.#context.header() };
  }

  /** Another past has neither alarms nor a database that has grown. */
  forget(): void {
    this.#alarms.clear();
    this.#space = this.#newSpace();
  }

  #newSpace(): DatabaseSpace {
    return new DatabaseSpace(this.#context.options.quotaBytes, () => this.#context.store().bytes);
  }

  #raise(member: AlarmMember): void {
    this.#alarms.set(alarmText(member), member);
  }

  /** The alarms of a kind; of all for 0. */
  #of(alarm: number): readonly AlarmMember[] {
    return [...this.#alarms.values()].filter((each) => alarm === 0 || each.alarm === alarm);
  }
}

function alarmText({ memberID, alarm }: AlarmMember): string {
  return `memberID:${String(memberID)} alarm:${alarmNames[alarm] ?? String(int(alarm))} `;
}
