/** Aggregated APIs of a replica: which group versions other servers answer for, and what these say of themselves. */
import type { Environment } from '../../base/environment.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { AggregationMetrics } from '../../observe/aggregation-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import type { ResourceVerbs, ServedResource } from '../../registry/types.ts';
import type { Storage } from '../../storage/types.ts';
import type { UserInfo } from '../../meta/user.ts';
import { ApiPlaces } from './api-places.ts';
import { locateService, type ObjectReader, type ServiceRouting } from '../../webhook/service-location.ts';
import { AvailabilityController } from './availability-controller.ts';
import { BackendConnections, type BackendAccess, type ClientCertificate } from './backend-connections.ts';
import type { RegisteredService } from './registered-service.ts';
import { RegistrationFollower, type Registrations } from './registrations.ts';
import { RemoteDocumentFollower, type RemoteDocuments } from './remote-documents.ts';

export type { ApiPlaces };
export type { BackendAccess, ClientCertificate, RegisteredService, Registrations, RemoteDocuments };

export interface AggregatedApisParts extends Environment {
  readonly naming: NamingProfile;
  readonly storage: Pick<Storage, 'view' | 'watch'>;
  readonly reader: ObjectReader;
  /** Where Services are. */
  readonly routing: ServiceRouting;
  readonly certificate: ClientCertificate | undefined;
  /** Whether servers are told the UID of the user. */
  readonly passesUid: boolean;
  readonly metrics: AggregationMetrics;
  readonly log: Logger;
}

export class AggregatedApis {
  readonly #parts: AggregatedApisParts;
  readonly #registrations: RegistrationFollower;
  readonly #connections: BackendConnections;
  readonly #documents: RemoteDocumentFollower;
  #availability: AvailabilityController | undefined;

  constructor(parts: AggregatedApisParts) {
    this.#parts = parts;
    this.#registrations = new RegistrationFollower(parts);
    this.#connections = new BackendConnections(parts.clock, this.#locate(), parts);
    const { clock, random, log } = parts;
    this.#documents = new RemoteDocumentFollower({
      ...{ registrations: this.#registrations, connections: this.#connections, clock, random, log },
    });
  }

  /** The same value until something registered changes. */
  registrations(): Registrations {
    return this.#registrations.current();
  }

  /** What the server of a service says of itself, as far as it is known. */
  documents(name: string): RemoteDocuments {
    return this.#documents.of(name);
  }

  /**
   * Where the server of a service is.
   * @throws Error if its Service leads nowhere
   */
  access(service: RegisteredService): BackendAccess {
    return this.#connections.access(service);
  }

  /** For clients inside of this service, which ask other servers in the name of this user. */
  placesFor(user: UserInfo): ApiPlaces {
    return new ApiPlaces({ registrations: this.#registrations, connections: this.#connections, user });
  }

  /** The registration by this name, local ones too. */
  service(name: string): RegisteredService | undefined {
    return this.#registrations.service(name);
  }

  /** Called with the names of the APIServices that changed. */
  onRegistrationChange(listener: (names: ReadonlySet<string>) => void): void {
    this.#registrations.onChange(listener);
  }

  onDocumentChange(listener: () => void): void {
    this.#documents.onChange(listener);
  }

  /**
   * Starts to check availability and to fetch documents; call it once the state is loaded.
   * @param resource of APIServices
   */
  keep(resource: ServedResource, verbs: ResourceVerbs): void {
    const { storage, reader, metrics, clock, random, log } = this.#parts;
    this.#availability ??= new AvailabilityController({
      ...{ registrations: this.#registrations, connections: this.#connections, locate: this.#locate() },
      ...{ storage, reader, resource, verbs, metrics, clock, random, log },
    });
    this.#availability.start();
    this.#documents.start();
  }

  /** New connections use this certificate. */
  use(certificate: ClientCertificate | undefined): void {
    this.#connections.use(certificate);
  }

  /** Resolves when all work has ended; call it before the storage is closed. */
  async close(): Promise<void> {
    this.#registrations.close();
    await Promise.all([this.#availability?.close(), this.#documents.close()]);
    this.#connections.close();
  }

  #locate(): ReturnType<typeof locateService> {
    return locateService(this.#parts.reader, this.#parts.routing, this.#parts.random);
  }
}
