# syntax=docker/dockerfile:1
ARG NODE_VERSION=22

# The program, as it would be published: no sources, no tests, no source maps.
FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
  && npm pack --ignore-scripts --pack-destination /tmp \
  && mkdir /package \
  && tar -xzf /tmp/fact-memory-node-*.tgz --strip-components 1 -C /package

# What the program needs to run, exactly as the lock file has it.
FROM node:${NODE_VERSION}-bookworm-slim AS dependencies
WORKDIR /package
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="fact-memory-node" \
  org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /package /opt/fact-memory-node
COPY --from=dependencies /package/node_modules /opt/fact-memory-node/node_modules
RUN chmod 755 /opt/fact-memory-node/dist/config/main.js \
  && ln -s /opt/fact-memory-node/dist/config/main.js /usr/local/bin/fact-memory-node \
  && ln -s /opt/fact-memory-node/dist/config/main.js /usr/local/bin/svc \
  && install -d -o node -g node -m 700 /srv/node /srv/node/data

# Everything that the node keeps lies in /srv/node/data: the store, its own key, the first API key, backups.
WORKDIR /srv/node
VOLUME /srv/node/data
USER node
# 127.0.0.1 of a container is reached by nobody outside of it.
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_PORT=8765
EXPOSE 8765
# A start that moves a large store may take minutes; it is not unhealthy meanwhile.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5m --retries=3 \
  CMD ["node", "/opt/fact-memory-node/packaging/container/health-check.mjs"]
# The node handles signals itself: as the first process of a container it needs no other in front of it.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/opt/fact-memory-node/dist/config/main.js"]
CMD ["start"]
