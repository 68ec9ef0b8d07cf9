/** `testing`: a control plane in memory with its testing paths, for tests in any language. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { codeOf, messageOf } from '../base/errors.ts';
import { StartError } from '../base/start-error.ts';
import { testingConfig, testingFlags, type TestingConfig } from '../options/commands/testing-options.ts';
import { TestingService } from '../testing/service/testing-service.ts';
import { runCommand } from './command.ts';
import type { CliIo } from './io.ts';
import { runService, type ServiceContext } from './until-signal.ts';

const about =
  'Serves the API and its controllers over an etcd in memory, for a test in any language, and paths below /testing that reset, ' +
  'fork and wind forward the control plane. Nothing is kept when it ends.';

/** @throws StartError when it cannot start */
export function runTesting(words: readonly string[], io: CliIo): Promise<number> {
  return runCommand(words, io, {
    name: 'orch-apiserver testing',
    about,
    flags: testingFlags,
    read: testingConfig,
    run: (config) => runService(io, (context) => serve(config, io, context)),
  });
}

async function serve(config: TestingConfig, io: CliIo, { signal }: ServiceContext): Promise<void> {
  const { naming, clock, crds, objects, flags, bindAddress, port, testingPort, advertised } = config;
  const ended = endOf(config, signal);
  const service = await TestingService.start({
    controlPlane: {
      ...{ naming, clock, crds, objects, port },
      flags: { ...flags, 'bind-address': bindAddress },
      ...(advertised.address !== '' && { advertiseAddress: advertised.address }),
      ...(advertised.port !== 0 && { advertisePort: advertised.port }),
    },
    address: bindAddress,
    port: testingPort,
    advertisedPort: advertised.testingPort === 0 ? undefined : advertised.testingPort,
  });
  try {
    await announce(config, io, JSON.stringify(service.access));
    await ended;
  } finally {
    if (config.readyFile !== '') await rm(config.readyFile, { force: true });
    await service.stop();
  }
}

/** A reader of the file sees nothing or all of it. It holds credentials. */
async function announce({ readyFile }: TestingConfig, io: CliIo, text: string): Promise<void> {
  if (readyFile === '') {
    io.out(text);
    return;
  }
  const draft = `${readyFile}.${String(process.pid)}`;
  try {
    await writeFile(draft, `${text}\n`, { mode: 0o600 });
    await rename(draft, readyFile);
  } catch (error) {
    await rm(draft, { force: true });
    const cause = `--ready-file ${readyFile} cannot be written: ${codeOf(error) || messageOf(error)}`;
    throw StartError.of('FILE_UNWRITABLE', cause, 'give a file in a folder that exists', error);
  }
}

function endOf({ stopWithInput }: TestingConfig, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      process.stdin.destroy();
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    if (stopWithInput) process.stdin.on('end', end).on('error', end).resume();
  });
}
