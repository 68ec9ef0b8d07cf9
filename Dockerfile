# The service as an image: `docker build -t orch-apiserver .`
ARG BASE=node:26-bookworm-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY src src
COPY deploy deploy
COPY test/tools/tsconfig.build.json test/tools/tsconfig.build.json
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM ${BASE}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER 65532:65532
EXPOSE 6443
# The lock file's Node, so that an image and a checkout run the same one.
ENTRYPOINT ["node_modules/node/bin/node", "dist/main.js"]
CMD ["serve"]
