/** Verbs as operations: method, body, response and parameters of each. */
import type { HttpMethod } from './model.ts';
import { deleteParameters, listParameters, writeParameters } from './parameters.ts';

export const strategicMediaType = 'application/strategic-merge-patch+json';
export const patchMediaTypes: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  strategicMediaType,
];
/** For patches of objects and scales, not of other action subresources. */
export const applyMediaType = 'application/apply-patch+yaml';
export const cborApplyMediaType = 'application/apply-patch+cbor';

/** A verb and the properties of its operation. */
export interface VerbShape {
  readonly method: HttpMethod;
  /** Value of the extension `action`. */
  readonly action: string;
  /** First word of the operation id. */
  readonly word: string;
  readonly says: string;
  readonly query: readonly string[];
  readonly body?: 'object' | 'patch' | 'options';
  readonly answer: 'object' | 'list' | 'status' | 'event';
  readonly codes: readonly number[];
}

export const verbShapes: Readonly<Record<string, VerbShape>> = {
  get: {
    method: 'get',
    action: 'get',
    word: 'read',
    says: 'Read the',
    query: [],
    answer: 'object',
    codes: [200],
  },
  list: {
    method: 'get',
    action: 'list',
    word: 'list',
    says: 'List or watch objects of kind',
    query: listParameters,
    answer: 'list',
    codes: [200],
  },
  create: {
    method: 'post',
    action: 'post',
    word: 'create',
    says: 'Create a',
    query: writeParameters,
    body: 'object',
    answer: 'object',
    codes: [200, 201, 202],
  },
  update: {
    method: 'put',
    action: 'put',
    word: 'replace',
    says: 'Replace the',
    query: writeParameters,
    body: 'object',
    answer: 'object',
    codes: [200, 201],
  },
  patch: {
    method: 'patch',
    action: 'patch',
    word: 'patch',
    says: 'Change parts of the',
    query: [...writeParameters, 'force'],
    body: 'patch',
    answer: 'object',
    codes: [200, 201],
  },
  delete: {
    method: 'delete',
    action: 'delete',
    word: 'delete',
    says: 'Delete the',
    query: deleteParameters,
    body: 'options',
    answer: 'status',
    codes: [200, 202],
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    word: 'deleteCollection',
    says: 'Delete all chosen objects of kind',
    query: [
      ...deleteParameters,
      ...listParameters.filter((p) => p !== 'watch' && p !== 'allowWatchBookmarks'),
    ],
    body: 'options',
    answer: 'status',
    codes: [200],
  },
};

export const watchShape: VerbShape = {
  method: 'get',
  action: 'watch',
  word: 'watch',
  says: 'Watch changes of the',
  query: [],
  answer: 'event',
  codes: [200],
};
export const watchListShape: VerbShape = {
  ...watchShape,
  action: 'watchlist',
  says: 'Watch changes of objects of kind',
};
