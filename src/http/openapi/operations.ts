/** The operations of one resource on each of its paths. */
import type { SubresourceDefinition } from '../../api/types.ts';
import { cborMediaType, cborSequenceMediaType } from '../../codec/decode-body.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { expandNames, protobufMediaType } from '../../meta/naming.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { WireTypes } from '../wire-types.ts';
import { listParameters } from './parameters.ts';
import type { AnswerModel, BodyModel, OperationModel, PathModel } from './model.ts';
import { connectionPath } from './connections.ts';
import { operationWords } from './operation-words.ts';
import type { VerbShape } from './verb-shapes.ts';
import {
  applyMediaType,
  cborApplyMediaType,
  patchMediaTypes,
  strategicMediaType,
  verbShapes,
  watchListShape,
  watchShape,
} from './verb-shapes.ts';

const collectionVerbs = ['list', 'create', 'deletecollection'];
const itemVerbs = ['get', 'update', 'delete', 'patch'];
const answerWords: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

/** Every path of a resource with its operations; paths without any are left out. */
export function resourcePaths(resource: ServedResource, types: WireTypes): PathModel[] {
  return new ResourcePaths(resource, types).all();
}

class ResourcePaths {
  private readonly resource: ServedResource;
  private readonly types: WireTypes;
  private readonly prefix: string;
  /** Path of the collection below the prefix. */
  private readonly below: string;

  constructor(resource: ServedResource, types: WireTypes) {
    this.resource = resource;
    this.types = types;
    const { group, version, resource: plural } = resource.gvr;
    this.prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    this.below = resource.namespaced ? `/namespaces/{namespace}/${plural}` : `/${plural}`;
  }

  all(): PathModel[] {
    const { definition, namespaced, gvr } = this.resource;
    const collection = this.prefix + this.below;
    const paths = [
      this.path(collection, this.standard(collectionVerbs)),
      this.path(`${collection}/{name}`, this.standard(itemVerbs)),
      ...definition.subresources.flatMap((s) => this.onPath(`${collection}/{name}/${s.name}`, s)),
    ];
    const across = `/${gvr.resource}`;
    if (namespaced && definition.verbs.includes('list')) {
      paths.push(this.path(this.prefix + across, [this.operation('list', { isAcross: true })]));
    }
    if (definition.verbs.includes('watch')) paths.push(...this.watches(across));
    return paths.filter((path) => path.operations.length > 0);
  }

  /** Deprecated watch paths. */
  private watches(across: string): PathModel[] {
    const prefix = `${this.prefix}/watch`;
    const lists = [this.watch(prefix + this.below, watchListShape, {})];
    if (this.resource.namespaced) lists.push(this.watch(prefix + across, watchListShape, { isAcross: true }));
    return [...lists, this.watch(`${prefix}${this.below}/{name}`, watchShape, {})];
  }

  private watch(path: string, shape: VerbShape, variant: Variant): PathModel {
    return { ...this.path(path, [this.shaped(shape, variant)]), query: [...listParameters, 'pretty'] };
  }

  private standard(verbs: readonly string[]): OperationModel[] {
    const served = this.resource.definition.verbs;
    return verbs.filter((verb) => served.includes(verb)).map((verb) => this.operation(verb, {}));
  }

  private onPath(path: string, subresource: SubresourceDefinition): PathModel[] {
    if (subresource.type !== 'connect') return [this.path(path, this.onSubresource(subresource))];
    const connected = connectionPath(this.resource, subresource, this.types);
    const model = this.path(path, connected(''));
    if (subresource.hasPath !== true) return [model];
    const further = this.path(`${path}/{path}`, connected('WithPath'));
    return [model, { ...further, inPath: { ...further.inPath, path: 'Remaining path.' } }];
  }

  private onSubresource(subresource: SubresourceDefinition): OperationModel[] {
    return subresource.verbs
      .filter((verb) => verb in verbShapes)
      .map((verb) => this.operation(verb, { subresource }));
  }

  private path(path: string, operations: readonly OperationModel[]): PathModel {
    const inPath = {
      ...(path.includes('{name}') && { name: `Name of the ${this.resource.gvk.kind}.` }),
      ...(path.includes('{namespace}') && { namespace: 'Namespace of the object.' }),
    };
    return { path, inPath, query: ['pretty'], operations };
  }

  private operation(verb: string, variant: Variant): OperationModel {
    const shape = verbShapes[verb];
    if (!shape) throw new Error(`${verb} is no verb of a path`);
    return this.shaped(shape, variant);
  }

  private shaped(shape: VerbShape, variant: Variant): OperationModel {
    const gvk = this.kindOf(variant.subresource);
    const words = operationWords(this.resource, {
      word: shape.word,
      isWatchList: shape.action === 'watchlist',
      isAcross: variant.isAcross === true,
      subresource: variant.subresource?.name ?? '',
    });
    const part = variant.subresource ? `${variant.subresource.name} of the ` : '';
    const body = this.body(shape, gvk, variant.subresource);
    return {
      method: shape.method,
      id: words.id,
      tag: words.tag,
      description: `${shape.says} ${part}${this.resource.gvk.kind}.`,
      action: shape.action,
      gvk,
      query: shape.query,
      ...(body && { body }),
      produces: this.produces(shape),
      answers: this.answers(shape, gvk),
    };
  }

  private kindOf(subresource: SubresourceDefinition | undefined): GroupVersionKind {
    if (!subresource?.kind) return this.resource.gvk;
    const { group, version, kind } = subresource.kind;
    return { group: expandNames(group, this.resource.naming), version, kind };
  }

  private body(
    shape: VerbShape,
    gvk: GroupVersionKind,
    subresource: SubresourceDefinition | undefined,
  ): BodyModel | undefined {
    switch (shape.body) {
      case undefined:
        return undefined;
      case 'patch': {
        const isApplied = subresource?.type !== 'action' || subresource.scale !== undefined;
        const own = patchMediaTypes.filter((type) => type !== strategicMediaType || this.speaksProtobuf);
        const mediaTypes = [...own, ...(isApplied ? this.applyMediaTypes : [])];
        return { type: 'meta/v1.Patch', mediaTypes, required: true };
      }
      case 'options':
        return { type: 'meta/v1.DeleteOptions', mediaTypes: this.mediaTypes(), required: false };
      case 'object':
        return { type: this.typeOf(gvk), mediaTypes: this.mediaTypes(), required: true };
    }
  }

  /** Custom resources support neither strategic merge patch nor Protobuf. */
  private get speaksProtobuf(): boolean {
    return this.resource.description === undefined;
  }

  private get applyMediaTypes(): string[] {
    return this.types.speaksCbor ? [applyMediaType, cborApplyMediaType] : [applyMediaType];
  }

  private mediaTypes(): string[] {
    const texts = ['application/json', 'application/yaml'];
    const protobuf = this.speaksProtobuf ? [protobufMediaType(this.types.naming)] : [];
    return [...texts, ...protobuf, ...(this.types.speaksCbor ? [cborMediaType] : [])];
  }

  private produces({ answer }: VerbShape): string[] {
    const isStream = answer === 'list' || answer === 'event';
    const stream = `${protobufMediaType(this.types.naming)};stream=watch`;
    const streams = [
      ...(this.speaksProtobuf ? [stream] : []),
      ...(this.types.speaksCbor ? [cborSequenceMediaType] : []),
    ];
    return [...this.mediaTypes(), ...(isStream ? streams : [])];
  }

  private answers(shape: VerbShape, gvk: GroupVersionKind): AnswerModel[] {
    const type = this.answerType(shape, gvk);
    return shape.codes.map((code) => ({ code, description: answerWords[code] ?? '', type }));
  }

  private answerType({ answer, action }: VerbShape, gvk: GroupVersionKind): string {
    switch (answer) {
      case 'object':
        return this.typeOf(gvk);
      case 'list':
        return this.typeOf({ ...gvk, kind: this.resource.listKind });
      case 'event':
        return 'meta/v1.WatchEvent';
      case 'status': {
        const returnsObject = this.resource.definition.strategy.deleteReturns === 'object';
        return action === 'delete' && returnsObject ? this.typeOf(gvk) : 'meta/v1.Status';
      }
    }
  }

  private typeOf({ group, version, kind }: GroupVersionKind): string {
    const { description, gvk, listKind } = this.resource;
    const isOwn = group === gvk.group && version === gvk.version;
    if (description && isOwn && kind === gvk.kind) return description.object;
    if (description && isOwn && kind === listKind) return description.list;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const schema = this.types.find(apiVersion, kind);
    if (!schema) throw new Error(`${apiVersion} ${kind} is not in the catalogue`);
    return schema.name;
  }
}

/** How an operation differs from the usual one of its path. */
interface Variant {
  /** Across all namespaces. */
  readonly isAcross?: boolean;
  readonly subresource?: SubresourceDefinition;
}
