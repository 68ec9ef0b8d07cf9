# The service as an image: `docker build -t orch-apiserver .`
# A control plane in memory for tests of any language: `docker build -t orch-apiserver-testing --target testing .`
ARG BASE=node:26-bookworm-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY deploy/bootstrap deploy/bootstrap
# Before the sources, so that an edit of those does not fetch everything again.
RUN node -e "import('/app/deploy/bootstrap/dependencies.mjs').then((bootstrap) => bootstrap.ensureDependencies())"
COPY deploy/bootstrap.mjs deploy/
COPY tsconfig.json ./
COPY test/tools/tsconfig.build.json test/tools/
COPY src src
# Of the sources, for /version: an image has no clone to ask.
ARG GIT_COMMIT=
ARG GIT_TREE_STATE=
RUN npm run build

# Only what runs: no compiler, no test tools. Install scripts bring nothing that the image lacks.
FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE} AS service
WORKDIR /app
ENV NODE_ENV=production
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
# A volume that is first mounted at one of these belongs to the user below: `pki` can write to it without being root.
RUN for folder in /pki /share/etcd /share/replica /share/controllers /share/balancer /share/prometheus; \
    do install -d -o 65532 -g 65532 "$folder"; done
# Compiled code is kept there between starts of the processes in a container.
RUN install -d -o 65532 -g 65532 -m 700 /app/.orch
USER 65532:65532
EXPOSE 6443
# No core dumps, which would hold keys, and no inspector, which would show them.
ENTRYPOINT ["/bin/sh", "-c", "ulimit -c 0; exec node --disable-sigusr1 dist/main.js \"$@\"", "orch-apiserver"]
CMD ["serve"]

# The API and its testing paths. Where ports are mapped, add --advertise-port and --advertise-testing-port.
FROM service AS testing
EXPOSE 6444
CMD ["testing", "--bind-address=0.0.0.0", "--secure-port=6443", "--testing-port=6444"]

# What is built without a target.
FROM service
