/** Passwords of cameras: in whatever an NVR says, nobody but an admin reads one (SPEC 5, 11). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const SECRET = 'hunter2';
const CAMERA = `rtsp://cam-user:${SECRET}@192.168.1.20:554/h264`;
const ODD = [
  CAMERA,
  `ffmpeg:${CAMERA}#video=copy`,
  `exec:ffmpeg -hide_banner -i ${CAMERA} -f rtsp {output}`,
  `exec:1-${SECRET}.sh`,
  `rtsp://cam-user:a/${SECRET}"@192.168.1.20/x`,
  `http://192.168.1.20/flv?user=cam-user&password=${SECRET}#backchannel=0`,
  `nest:?client_id=x&client_secret=${SECRET}&refresh_token=${SECRET}`,
  `hass:?url=http%3A%2F%2Fcam-user%3A${SECRET}%40hass.lan`,
  `rtsps://192.168.1.1:7441/${SECRET}?enableSrtp`,
  `rtmp://a.rtmp.youtube.com/live2/${SECRET}`,
];
const STREAM = {
  producers: ODD.map((source) => ({
    id: 1,
    format_name: 'rtsp',
    remote_addr: '192.168.1.20:554',
    url: source,
    source,
    medias: ['video, recvonly, H264'],
    receivers: [{ id: 2, codec: { codec_name: 'h264' }, childs: [3], parent: { source, about: { url: source } } }],
  })),
  consumers: ODD.map((url) => ({ id: 4, url, cmd: `ffmpeg -i ${CAMERA}`, sdp: `a=control:${CAMERA}` })),
};
const CONFIG = {
  cameras: { cam1: { ffmpeg: { inputs: [{ path: CAMERA }] } }, cam2: { onvif: { password: SECRET } } },
  go2rtc: { streams: { cam1: ODD } },
  environment_vars: { PASSWORD: SECRET },
};

describe('The password of a camera', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let tokens: Record<'admin' | 'vera' | 'carl', string>;
  let said: { status: number; type: string; body: string };
  const say = (status: number, body: unknown, type = 'application/json'): void => {
    said = { status, type, body: typeof body === 'string' ? body : JSON.stringify(body) };
  };
  let isConfigSaid = false;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, auth: { roles: { front_only: ['cam1'] } } },
      people: [ADMIN_PERSON, VERA, CARL],
    });
    tokens = {
      admin: await instance.logIn(ADMIN_PERSON),
      vera: await instance.logIn(VERA),
      carl: await instance.logIn(CARL),
    };
  });
  beforeEach(() => {
    isConfigSaid = false;
    nvr.answer = (request, response, received) => {
      if (request.url?.startsWith('/api/config') && !isConfigSaid) return answerLikeAnNvr(request, response, received);
      response.writeHead(said.status, { 'content-type': said.type }).end(said.body);
    };
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });
  const ask = async (path: string, who: keyof typeof tokens, init: RequestInit = {}) => {
    const response = await instance.ask(path, { token: tokens[who], ...init });
    return { status: response.status, body: await response.text() };
  };
  const OFFER = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'offer',
      sdp: 'v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=recvonly\r\n',
    }),
  };

  for (const who of ['vera', 'carl'] as const) {
    it(`is in no list of streams for ${who}, however the source is written, and medias stay`, async () => {
      for (const [path, body] of [
        ['/api/go2rtc/streams', { cam1: STREAM, extra: { cam1: STREAM } }],
        ['/api/go2rtc/streams/cam1', STREAM],
      ] as const) {
        say(200, body);
        const { status, body: told } = await ask(path, who);
        assert.equal(status, 200, path);
        assert.doesNotMatch(told, /hunter2|cam-user|ffmpeg -/, path);
        assert.match(told, /video, recvonly, H264/);
        assert.match(told, /192\.168\.1\.20:554/);
      }
    });

    it(`is in no error of the NVR for ${who}, whatever the route and the status`, async () => {
      for (const status of [400, 401, 404, 422, 500, 503]) {
        for (const [body, type] of [
          [`exec/rtsp\n${CAMERA}: 401`, 'text/plain'],
          [{ message: `no route to ${CAMERA}` }, 'application/json'],
          [{ detail: `ffmpeg -password ${SECRET}\n` }, 'application/json'],
          [{ detail: [{ input: CAMERA }] }, 'application/json'],
        ] as const) {
          say(status, body, type);
          for (const told of [
            await ask('/api/go2rtc/webrtc?src=cam1', who, OFFER),
            await ask('/api/cam1/latest.jpg', who),
            await ask('/api/go2rtc/streams/cam1', who),
            await ask('/api/cam1/recordings', who),
          ]) {
            assert.doesNotMatch(told.body, /hunter2|cam-user/);
            assert.ok(told.status >= 400, String(told.status));
          }
        }
      }
    });

    it(`is in no message of the stream server for ${who}`, async (test) => {
      const server = new WebSocketServer({ noServer: true });
      nvr.answerUpgrade = (request, socket) =>
        server.handleUpgrade(request, socket, Buffer.alloc(0), (client) => {
          for (const value of [`mse: exec: ${CAMERA}`, `webrtc/offer: ${SECRET}`, SECRET, { text: SECRET }])
            client.send(JSON.stringify({ type: 'error', value }));
          client.send(JSON.stringify({ type: 'log', value: CAMERA }));
          client.send(CAMERA);
          client.send(JSON.stringify({ type: 'mse', value: 'video/mp4; codecs="avc1.640029"' }));
        });
      test.after(() => {
        nvr.answerUpgrade = undefined;
        server.close();
      });
      const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/live/mse/api/ws?src=cam1`, {
        headers: { authorization: `Bearer ${tokens[who]}` },
      });
      const told: string[] = [];
      socket.on('message', (data) => {
        told.push(String(data));
        if (String(data).includes('avc1')) socket.close();
      });
      await once(socket, 'close', { signal: AbortSignal.timeout(30_000) });
      assert.doesNotMatch(told.join('\n'), /hunter2|cam-user/);
      assert.deepEqual(
        told.map((text) => JSON.parse(text).type),
        ['error', 'error', 'error', 'error', 'mse'],
      );
      assert.match(told[0] ?? '', /"mse: /);
    });

    it(`is in no answer of the NVR that refuses a WebSocket, for ${who}`, async (test) => {
      nvr.answerUpgrade = (_request, socket) =>
        socket.end(`HTTP/1.1 500 x\r\ncontent-type: text/plain\r\ncontent-length: ${CAMERA.length}\r\n\r\n${CAMERA}`);
      test.after(() => {
        nvr.answerUpgrade = undefined;
      });
      const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/live/jsmpeg/cam1`, {
        headers: { authorization: `Bearer ${tokens[who]}` },
      });
      socket.on('error', () => {});
      const [, response] = await once(socket, 'unexpected-response', { signal: AbortSignal.timeout(30_000) });
      const parts: string[] = [];
      response.on('error', () => {});
      response.on('data', (part: Buffer) => parts.push(String(part)));
      await once(response, 'close', { signal: AbortSignal.timeout(30_000) });
      assert.doesNotMatch(parts.join(''), /hunter2|cam-user/);
    });

    it(`is in no configuration for ${who}, in whatever form it comes`, async () => {
      isConfigSaid = true;
      for (const body of [CONFIG, { config: CONFIG }, [CONFIG], { cameras: [CONFIG], x: CONFIG }]) {
        say(200, body);
        assert.doesNotMatch((await ask('/api/config', who)).body, /hunter2|cam-user/);
      }
    });
  }

  it('wrapped with a configuration that no form fits is 502 for a custom role, and none of it is passed on', async () => {
    isConfigSaid = true;
    for (const body of [{ config: CONFIG }, { data: { cameras: {} } }, { cameras: [] }, { cameras: 'cam2' }, {}]) {
      say(200, body);
      const { status, body: told } = await ask('/api/config', 'carl');
      assert.deepEqual([status, told.includes('cam2')], [502, false]);
    }
  });

  it('is read by an admin, who has to find out what is wrong with a camera', async () => {
    say(200, STREAM);
    assert.match((await ask('/api/go2rtc/streams/cam1', 'admin')).body, /hunter2/);
    say(500, `exec: ${CAMERA}`, 'text/plain');
    assert.match((await ask('/api/go2rtc/webrtc?src=cam1', 'admin', OFFER)).body, /hunter2/);
  });
});
