/** Posts JSON over HTTP or HTTPS, with the system's certificate authorities or the given ones. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { HttpPost } from '../ports/http-post.ts';

export const postJson: HttpPost = ({ url, body, bearerToken, ca }, signal) =>
  new Promise((resolve, reject) => {
    const target = new URL(url);
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(target, {
      method: 'POST',
      signal,
      agent: false,
      ...(ca !== undefined && { ca }),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(bearerToken !== undefined && { authorization: `Bearer ${bearerToken}` }),
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      // The answer is not read, because a receiver could send without end.
      response.destroy();
    });
    request.end(body);
  });
