/**
 * The zlib dictionary of SPDY/3 headers. Both ends of a connection have it from the start, so that even the
 * first header is short. It is part of the protocol: draft-mbelshe-httpbis-spdy-00, 2.6.10.1.
 *
 * The first words are preceded by their length in four bytes, as in a header block; the others are joined,
 * because they are only parts of values.
 */

const COUNTED_WORDS =
  'options head post put delete trace accept accept-charset accept-encoding accept-language ' +
  'accept-ranges age allow authorization cache-control connection content-base content-encoding ' +
  'content-language content-length content-location content-md5 content-range content-type date etag ' +
  'expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since ' +
  'last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer ' +
  'retry-after server te trailer transfer-encoding upgrade user-agent vary via warning ' +
  'www-authenticate method get status';

const MORE_COUNTED_WORDS = 'version|HTTP/1.1|url|public|set-cookie|keep-alive|origin';

const CODES =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505';

const PHRASES =
  '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request' +
  '401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented' +
  '503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, ' +
  'Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,' +
  'application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch' +
  'charset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

export const HEADER_DICTIONARY: Buffer = Buffer.concat([
  ...COUNTED_WORDS.split(' ').map(counted),
  counted('200 OK'),
  ...MORE_COUNTED_WORDS.split('|').map(counted),
  Buffer.from(CODES + PHRASES, 'latin1'),
]);

function counted(word: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(word.length);
  return Buffer.concat([length, Buffer.from(word, 'latin1')]);
}
