/** Probes and life cycle handlers of containers. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { httpHeaderName } from '../../validation/name-rules.ts';
import { portNumber, portNumberOrName } from '../../validation/net.ts';
import type { Rule } from '../../validation/rules.ts';
import {
  allOf,
  each,
  given,
  givenFields,
  need,
  nonNegative,
  obeys,
  positive,
  toNumber,
} from '../../validation/rules.ts';
import type { PodRights } from './privileged.ts';
import type { Container, HTTPGetAction, LifecycleHandler, Probe, ProbeHandler } from '../v1.types.ts';

/** The three probes of a container and what it does after start and before stop. */
export function validateProbesAndLifecycle(
  container: Container,
  path: FieldPath,
  { isFeatureEnabled }: PodRights,
): FieldError[] {
  const howLong = isFeatureEnabled('PodLifecycleSleepActionAllowZero') ? nonNegative : positive;
  const validateLifecycleHandler: Rule<LifecycleHandler> = (handler, at) =>
    allOf(
      validateHandler(handler, at),
      given(handler.sleep, at.child('sleep'), ({ seconds }, p) =>
        howLong(toNumber(seconds ?? 0), p.child('seconds')),
      ),
    );
  return allOf(
    given(container.livenessProbe, path.child('livenessProbe'), validateOnceProbe),
    given(container.readinessProbe, path.child('readinessProbe'), validateProbe),
    given(container.startupProbe, path.child('startupProbe'), validateOnceProbe),
    given(container.lifecycle, path.child('lifecycle'), (lifecycle, at) =>
      allOf(
        given(lifecycle.postStart, at.child('postStart'), validateLifecycleHandler),
        given(lifecycle.preStop, at.child('preStop'), validateLifecycleHandler),
      ),
    ),
  );
}

const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

const validateProbe: Rule<Probe> = (probe, path) =>
  allOf(
    validateHandler(probe, path),
    givenFields(probe, counts, path, nonNegative),
    given(probe.terminationGracePeriodSeconds, path.child('terminationGracePeriodSeconds'), positive),
  );

/** One success decides, so that the success threshold must be 1. */
const validateOnceProbe: Rule<Probe> = (probe, path) =>
  allOf(
    validateProbe(probe, path),
    probe.successThreshold === 1
      ? []
      : [invalid(path.child('successThreshold'), probe.successThreshold, 'must be 1')],
  );

const handlerTypes = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

/** Handlers of probes and of life cycles differ in what came later: only probes ask by gRPC, only life cycles sleep. */
type AnyHandler = ProbeHandler & LifecycleHandler;

function validateHandler(handler: AnyHandler, path: FieldPath): FieldError[] {
  const types = handlerTypes.filter((type) => handler[type] != null);
  if (types.length === 0) return [required(path, 'must specify a handler type')];
  return allOf(
    types.length === 1 ? [] : surplusErrors(types.slice(1), path),
    given(handler.exec, path.child('exec'), (exec, at) =>
      (exec.command ?? []).length === 0 ? [required(at.child('command'))] : [],
    ),
    given(handler.httpGet, path.child('httpGet'), validateHttpGet),
    given(handler.tcpSocket, path.child('tcpSocket'), (socket, at) =>
      portNumberOrName(socket.port ?? 0, at.child('port')),
    ),
    given(handler.grpc, path.child('grpc'), (action, at) => portNumber(action.port ?? 0, at.child('port'))),
  );
}

function surplusErrors(types: readonly string[], path: FieldPath): FieldError[] {
  return types.map((type) => forbidden(path.child(type), 'may not specify more than 1 handler type'));
}

const isHeaderName = obeys(httpHeaderName);

function validateHttpGet(action: HTTPGetAction, path: FieldPath): FieldError[] {
  return allOf(
    need(action.path, path.child('path')),
    portNumberOrName(action.port ?? 0, path.child('port')),
    each(action.httpHeaders, path.child('httpHeaders'), (header, at) =>
      isHeaderName(header.name ?? '', at.child('name')),
    ),
  );
}
