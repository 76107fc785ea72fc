# syntax=docker/dockerfile:1

# Node's program, for the architecture of the image. What the other stages make is alike on all, so they run on that of the builder.
FROM node:24-bookworm-slim AS node

# Builds pages and server: development packages such as Vite stay in this stage. Vite's binary is an optional package, so those are installed too.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY conf conf
COPY src src
RUN npm run build

FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS packages
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund
# What nothing reads at run time: TypeScript sources, declarations, source maps and tests, half of the packages.
RUN find node_modules \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \) -delete \
 && find node_modules -type d -name test -prune -exec rm -r {} +
# The list of what is in it (CycloneDX): docker run --rm --entrypoint cat postern /app/sbom.cdx.json
# Of what is installed: "npm sbom --omit=dev" leaves out packages that development needs too, koa among them.
RUN npm pkg delete devDependencies optionalDependencies && npm sbom --sbom-format=cyclonedx > sbom.cdx.json

# Debian's slim image and Node's program alone: no npm, no corepack, no headers.
FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Postern" \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.description="An authentication sidecar for network video recorders" \
      org.opencontainers.image.licenses="MIT"
# The source revision: --build-arg REVISION=$(git rev-parse HEAD). The metric postern_build_info shows it.
ARG REVISION
LABEL org.opencontainers.image.revision=$REVISION
# `MALLOC_MMAP_THRESHOLD_`: what the start frees goes back to the machine. glibc would raise this bound with each large block.
ENV NODE_ENV=production \
    MALLOC_MMAP_THRESHOLD_=1048576 \
    POSTERN_REVISION=$REVISION \
    POSTERN_CONFIG_DIR=/config \
    POSTERN_FIRST_CONFIG=/app/conf/container.yaml
RUN --mount=type=bind,from=node,source=/usr/local/bin,target=/mnt install -m 0755 /mnt/node /usr/local/bin/node \
 && groupadd --gid 1000 node && useradd --uid 1000 --gid node --no-create-home --shell /usr/sbin/nologin node
WORKDIR /app
COPY --from=packages /build/node_modules node_modules
COPY --from=packages /build/sbom.cdx.json ./
COPY package.json LICENSE ./
COPY conf conf
COPY trusted-headers trusted-headers
# The list of identity headers: bind-mount a file of your own over this one to replace it.
COPY trusted-headers/proxy_trusted_headers.conf /usr/local/nginx/conf/proxy_trusted_headers.conf
COPY --from=build /build/dist dist
COPY --from=build /build/bundle bundle
RUN ln -s /app/bundle/main.js /usr/local/bin/postern && chmod 755 /app/bundle/main.js \
 && install -d -o node -g node -m 0700 /config \
 && install -d -o node -g node -m 0755 node_modules/.cache
USER node
# A first start and a health check fill the compile cache for later ones. Their configuration is deleted.
RUN export POSTERN_CONFIG_DIR=/tmp/first; timeout 10 postern serve > /dev/null || true; postern healthcheck 2> /dev/null || true; rm -rf /tmp/first
VOLUME /config
EXPOSE 8971 5000 9871
# Postern writes to /config, and one socket to /tmp: run with --read-only --tmpfs /tmp.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["postern", "healthcheck"]
# Size of V8's young generation in megabytes: with less, a small request takes more processor time; with more, memory under load grows.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--v8-pool-size=1", "/app/bundle/main.js"]
CMD ["serve"]
