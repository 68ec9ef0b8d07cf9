/**
 * Reconciles definitions: accepted names, status, and cleanup. Every replica does this; as the result is
 * deterministic, the first replica writes it and the others observe it.
 *
 *   created ─▶ names assigned ─▶ established ─▶ deleted ─▶ objects deleted ─▶ finalizer removed ─▶ gone
 */
import { cleanupFinalizer } from '../../api/apiextensions/definition-conditions.ts';
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import { Backoff } from '../../base/backoff.ts';
import type { Timer } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { pause } from '../../base/pause.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { isObjectNotFound } from '../../meta/object-errors.ts';
import { StatusError } from '../../meta/status.ts';
import { formatSeconds } from '../../meta/time.ts';
import type { Logger } from '../../observe/log.ts';
import { addressOf } from '../../registry/scope-keys.ts';
import type { RequestScope, ResourceCatalogue, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import type { Entry } from '../../storage/types.ts';
import type { DynamicCatalogue } from './dynamic-catalogue.ts';
import type { CleanupParts } from './cleanup.ts';
import { removeLeftovers, removeObjects } from './cleanup.ts';
import { definitionOf, groupOf, isEstablished, isTerminating, nameOf } from './definition.ts';
import { DefinitionWrites, type PatchElsewhere } from './definition-writes.ts';
import type { Assignment } from './name-assignment.ts';
import { Assignments } from './name-assignment.ts';
import { saysTheSame, statusOf } from './definition-status.ts';
import { ownScope } from '../../registry/write/own-writes.ts';

export interface DefinitionControllerParts extends Environment {
  readonly catalogue: DynamicCatalogue;
  readonly builtIn: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
  /** Changes large definitions beside this thread; absent: they are changed here. */
  readonly patchElsewhere?: PatchElsewhere | undefined;
  readonly log: Logger;
}

/** Shortest time between two looks at definitions; changes in between are looked at together. */
const lookPauseMs = 50;

interface Verdict {
  readonly assignment: Assignment;
  readonly needsWork: boolean;
}

/** Concurrent steps; each blocks the thread for some milliseconds. */
const mostSteps = 4;
const againPause = { firstMs: 100, maxMs: 5_000 };

export class DefinitionController {
  private readonly parts: DefinitionControllerParts;
  private readonly stopping = new AbortController();
  /** The resource of definitions; undefined if it is not served. */
  private readonly definitions: ServedResource | undefined;
  private readonly writes: DefinitionWrites | undefined;
  /** Definitions in progress by name, and whether they changed meanwhile. */
  private readonly busy = new Map<string, { isDue: boolean }>();
  private readonly runs = new Set<Promise<void>>();
  private readonly assignments: Assignments;
  /** Groups whose definitions changed since they were looked at. */
  private readonly changedGroups = new Set<string>();
  private lookedAt = -Infinity;
  private nextLook: Timer | undefined;
  /**
   * What was found of a definition under a name assignment: a burst of changes is many looks at all of them. Keyed by
   * revision, as each one is another object.
   */
  private readonly verdicts = new WeakMap<CustomResourceDefinition, Verdict>();
  /** Each step writes, and many may be due at once, for example after a restore. */
  private readonly slots = new Semaphore(mostSteps);

  constructor(parts: DefinitionControllerParts) {
    this.parts = parts;
    this.assignments = new Assignments(parts.builtIn.naming);
    const group = parts.catalogue.collection.split('/', 1)[0] ?? '';
    const plural = 'customresourcedefinitions';
    this.definitions =
      parts.builtIn.resource(group, 'v1', plural) ?? parts.builtIn.resource(group, 'v1beta1', plural);
    const { verbs, patchElsewhere } = parts;
    const scopeOf = (resource: ServedResource, subresource?: string): RequestScope =>
      this.scopeOf(resource, subresource);
    if (this.definitions)
      this.writes = new DefinitionWrites({ verbs, patchElsewhere, definitions: this.definitions, scopeOf });
    parts.catalogue.onChange((_gone, groups) => {
      for (const group of groups) this.changedGroups.add(group);
      this.lookSoon();
    });
  }

  /** Resolves when all work has ended. */
  async close(): Promise<void> {
    this.stopping.abort();
    this.parts.clock.clear(this.nextLook);
    await Promise.all(this.runs);
  }

  /** Thousands of definitions may come at once, and a look goes over all of their groups. */
  private lookSoon(): void {
    const { clock } = this.parts;
    if (this.nextLook || this.stopping.signal.aborted) return;
    const waitMs = this.lookedAt + lookPauseMs - clock.monotonic();
    if (waitMs <= 0) {
      this.look();
      return;
    }
    this.nextLook = clock.setTimeout(() => {
      this.nextLook = undefined;
      this.look();
    }, waitMs);
    this.nextLook.unref();
  }

  /** Starts work on all definitions that need it: names belong to one within a group. */
  private look(): void {
    if (this.stopping.signal.aborted || !this.definitions) return;
    this.lookedAt = this.parts.clock.monotonic();
    const groups = [...this.changedGroups];
    this.changedGroups.clear();
    for (const group of groups) {
      const all = this.definitionsIn(group);
      const assignments = this.assignments.of(group, all);
      for (const definition of all) {
        const assignment = assignments.get(nameOf(definition));
        if (assignment && this.needsWork(definition, assignment)) this.wake(nameOf(definition));
      }
    }
  }

  private definitionsIn(group: string): CustomResourceDefinition[] {
    return this.parts.catalogue.definitionsIn(group).map(definitionOf);
  }

  private needsWork(definition: CustomResourceDefinition, assignment: Assignment): boolean {
    if (isTerminating(definition)) return this.isHeld(definition);
    const before = this.verdicts.get(definition);
    if (before?.assignment === assignment) return before.needsWork;
    const needsWork = !saysTheSame(definition.status, this.statusOf(definition, assignment));
    this.verdicts.set(definition, { assignment, needsWork });
    return needsWork;
  }

  private isHeld({ metadata }: CustomResourceDefinition): boolean {
    return (metadata.finalizers ?? []).includes(cleanupFinalizer(this.parts.builtIn.naming));
  }

  private statusOf(
    definition: CustomResourceDefinition,
    assignment: Assignment,
  ): ReturnType<typeof statusOf> {
    const now = formatSeconds(new Date(this.parts.clock.now()));
    return statusOf(definition, assignment, { naming: this.parts.builtIn.naming, now });
  }

  private wake(name: string): void {
    const present = this.busy.get(name);
    if (present) {
      present.isDue = true;
      return;
    }
    const state = { isDue: true };
    this.busy.set(name, state);
    const run = this.work(name, state).finally(() => {
      this.busy.delete(name);
      this.runs.delete(run);
    });
    this.runs.add(run);
  }

  private async work(name: string, state: { isDue: boolean }): Promise<void> {
    const backoff = new Backoff(againPause, this.parts.random);
    const { signal } = this.stopping;
    while (state.isDue && !signal.aborted) {
      const isDone = await this.step(name, state).catch((error: unknown) => this.isSettled(name, error));
      if (isDone) continue;
      state.isDue = true;
      await pause(this.parts.clock, backoff.nextMs(), signal);
    }
  }

  /** A deleted definition needs no more work. */
  private isSettled(name: string, error: unknown): boolean {
    if (this.stopping.signal.aborted) return true;
    if (this.definitions && isObjectNotFound(error, addressOf(this.scopeOf(this.definitions), name)))
      return true;
    if (!(error instanceof StatusError) || error.code !== 409)
      this.parts.log.warn('a definition could not be reconciled; retrying', { definition: name, err: error });
    return false;
  }

  /** Performs the next step of a definition; returns false if it must be checked again. */
  private async step(name: string, state: { isDue: boolean }): Promise<boolean> {
    const going = await this.slots.use(() => {
      // Reads what was written before now; changes during the wait for a slot are seen.
      state.isDue = false;
      return this.settle(name);
    });
    return !going || this.cleanUp(going);
  }

  /**
   * Writes the status of a definition if it differs. Returns the definition if it needs cleanup, which takes long.
   */
  private async settle(name: string): Promise<Entry | undefined> {
    const { catalogue } = this.parts;
    await catalogue.fresh(this.stopping.signal);
    const entry = catalogue.definition(name);
    if (!entry || !this.definitions) return undefined;
    const definition = definitionOf(entry);
    if (isTerminating(definition)) return this.isHeld(definition) ? entry : undefined;
    const group = groupOf(definition);
    const assignment = this.assignments.of(group, this.definitionsIn(group)).get(name);
    if (!assignment || !this.needsWork(definition, assignment)) return undefined;
    if (!isEstablished(definition) && !assignment.conflict) await this.removeLeftovers(definition);
    await this.writes?.setStatus(entry, (current) => this.statusOf(current, assignment));
    return undefined;
  }

  /** A definition that was never served has no objects: stored ones belong to another one. */
  private async cleanUp(entry: Entry): Promise<boolean> {
    const definition = definitionOf(entry);
    const name = nameOf(definition);
    const { uid = '' } = definition.metadata;
    const resource = isEstablished(definition) ? this.parts.catalogue.resourceOf(name) : undefined;
    const isStillThere = (): Promise<boolean> => this.isStillThere(name, uid);
    if (resource && !(await removeObjects(this.cleanupParts(), resource.stored, isStillThere))) return false;
    await this.writes?.release(entry);
    return true;
  }

  private async isStillThere(name: string, uid: string): Promise<boolean> {
    const { catalogue } = this.parts;
    await catalogue.fresh(this.stopping.signal);
    const entry = catalogue.definition(name);
    return entry !== undefined && definitionOf(entry).metadata.uid === uid;
  }

  /** Before it is established a definition has no objects. */
  private async removeLeftovers(definition: CustomResourceDefinition): Promise<void> {
    const resource = this.parts.catalogue.resourceOf(nameOf(definition));
    const seenAt = Number(definition.metadata.resourceVersion);
    if (resource) await removeLeftovers(this.cleanupParts(), resource.stored, seenAt);
  }

  private cleanupParts(): CleanupParts {
    return { verbs: this.parts.verbs, scopeOf: (resource) => this.scopeOf(resource) };
  }

  private scopeOf(resource: ServedResource, subresource = ''): RequestScope {
    return ownScope({ resource, subresource, signal: this.stopping.signal });
  }
}
