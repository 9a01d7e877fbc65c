# The image of API, workers, migrations, administration and the check of a set-up; docs/images.md says how it is built and run.
ARG BASE=node:24-slim

# The packages that the built product runs on: a layer that stays the same while package-lock.json does.
FROM ${BASE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The secret, which may be left out, has the settings of a registry of one's own.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --omit=dev --omit=optional --ignore-scripts

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --include=dev --include=optional --ignore-scripts
COPY . .
RUN npm run build

FROM ${BASE}
LABEL org.opencontainers.image.title="Console API"
ENV NODE_ENV=production HOST=0.0.0.0 NODE_OPTIONS="--max-semi-space-size=64"
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/docs ./docs
COPY --from=build /app/dist ./dist
# By number, so that a platform sees that it is not root; in Node's own images it is the user `node`.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WORKER_PORT || process.env.PORT || 3000}/health`).then(({ ok }) => process.exit(Number(!ok)))"]
CMD ["node", "dist/api/main.js"]
