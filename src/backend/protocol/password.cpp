#include "hathi/protocol/password.h"

#include <sys/random.h>

#include <cerrno>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <charconv>

#include "hathi/error/sql_error.h"

namespace hathi::protocol {

namespace {

constexpr std::size_t kKeyLength = 32;
constexpr int kIterations = 4096;
constexpr std::string_view kScramPrefix = "SCRAM-SHA-256$";

std::string to_base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  int n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(n));
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > 4096) return std::nullopt;
  std::string out(text.size() / 4 * 3 + 1, '\0');
  int n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (n < 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  out.resize(static_cast<std::size_t>(n) - padding);
  return out;
}

std::string sha256(std::string_view bytes) {
  std::string out(kKeyLength, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

std::string hmac(std::string_view key, std::string_view bytes) {
  std::string out(kKeyLength, '\0');
  unsigned int n = kKeyLength;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
       reinterpret_cast<unsigned char*>(out.data()), &n);
  return out;
}

std::string md5_hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int n = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &n, EVP_md5(), nullptr);
  std::string out;
  for (unsigned int i = 0; i < n; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

// The password as SASLprep makes it; as it is when it is not valid UTF-8.
std::string prepared(std::string_view password) {
  bool ascii = true;
  for (char c : password) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  if (ascii) return std::string(password);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfkc = icu::Normalizer2::getNFKCInstance(status);
  if (U_FAILURE(status)) return std::string(password);
  icu::UnicodeString normal = nfkc->normalize(icu::UnicodeString::fromUTF8(icu::StringPiece(password.data(), static_cast<int32_t>(password.size()))), status);
  if (U_FAILURE(status)) return std::string(password);
  std::string out;
  normal.toUTF8String(out);
  return out;
}

std::string salted_password(std::string_view password, std::string_view salt, int iterations) {
  std::string out(kKeyLength, '\0');
  std::string text = prepared(password);
  PKCS5_PBKDF2_HMAC(text.data(), static_cast<int>(text.size()), reinterpret_cast<const unsigned char*>(salt.data()), static_cast<int>(salt.size()), iterations,
                    EVP_sha256(), kKeyLength, reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

struct Verifier {
  int iterations = 0;
  std::string salt, stored_key, server_key;
};

std::optional<Verifier> parse_verifier(std::string_view stored) {
  if (!stored.starts_with(kScramPrefix)) return std::nullopt;
  stored.remove_prefix(kScramPrefix.size());
  std::size_t colon = stored.find(':'), dollar = stored.find('$');
  if (colon == std::string_view::npos || dollar == std::string_view::npos || colon > dollar) return std::nullopt;
  std::size_t second = stored.find(':', dollar);
  if (second == std::string_view::npos) return std::nullopt;
  Verifier v;
  auto digits = stored.substr(0, colon);
  if (std::from_chars(digits.data(), digits.data() + digits.size(), v.iterations).ec != std::errc() || v.iterations <= 0) return std::nullopt;
  auto salt = from_base64(stored.substr(colon + 1, dollar - colon - 1));
  auto key = from_base64(stored.substr(dollar + 1, second - dollar - 1)), server = from_base64(stored.substr(second + 1));
  if (!salt || !key || !server || key->size() != kKeyLength || server->size() != kKeyLength) return std::nullopt;
  v.salt = *salt;
  v.stored_key = *key;
  v.server_key = *server;
  return v;
}

bool same_bytes(std::string_view a, std::string_view b) { return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

[[noreturn]] void malformed(std::string detail) {
  throw SqlError(sqlstate::protocol_violation, "malformed SCRAM message").detail(std::move(detail)).fatal();
}

// Takes "x=value" off the front of a comma-separated list.
std::string_view take_attribute(std::string_view& rest, char name) {
  if (rest.size() < 2 || rest[0] != name)
    malformed(fmt::format("Expected attribute \"{}\" but found \"{}\".", name, rest.empty() ? "" : std::string(1, rest[0])));
  if (rest[1] != '=') malformed(fmt::format("Expected character \"=\" for attribute \"{}\".", name));
  std::size_t end = rest.find(',');
  std::string_view value = rest.substr(2, end == std::string_view::npos ? end : end - 2);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return value;
}

// A salt that an unknown role always gets again, from a secret of this server run.
std::string mock_salt(std::string_view role) {
  static const std::string secret = [] {
    std::string bytes(kKeyLength, '\0');
    random_bytes(bytes.data(), bytes.size());
    return bytes;
  }();
  return hmac(secret, role).substr(0, 16);
}

}  // namespace

void random_bytes(void* out, std::size_t n) {
  // The kernel's generator: OpenSSL's would have to be set up again in every forked process.
  auto* at = static_cast<char*>(out);
  while (n > 0) {
    ssize_t got = getrandom(at, n, 0);
    if (got < 0 && errno != EINTR) throw SqlError(sqlstate::internal_error, "could not generate random bytes");
    if (got <= 0) continue;
    at += got;
    n -= static_cast<std::size_t>(got);
  }
}

PasswordKind password_kind(std::string_view stored) {
  if (stored.size() == 35 && stored.starts_with("md5") && stored.find_first_not_of("0123456789abcdef", 3) == std::string_view::npos) return PasswordKind::md5;
  return parse_verifier(stored) ? PasswordKind::scram : PasswordKind::plain;
}

std::string make_scram_verifier(std::string_view password) {
  std::string salt(16, '\0');
  random_bytes(salt.data(), salt.size());
  std::string salted = salted_password(password, salt, kIterations);
  return fmt::format("{}{}:{}${}:{}", kScramPrefix, kIterations, to_base64(salt), to_base64(sha256(hmac(salted, "Client Key"))),
                     to_base64(hmac(salted, "Server Key")));
}

std::string make_md5_password(std::string_view password, std::string_view role) { return "md5" + md5_hex(std::string(password) + std::string(role)); }

bool check_plain_password(std::string_view password, std::string_view stored, std::string_view role) {
  if (auto v = parse_verifier(stored)) return same_bytes(hmac(salted_password(password, v->salt, v->iterations), "Server Key"), v->server_key);
  if (password_kind(stored) == PasswordKind::md5) return same_bytes(make_md5_password(password, role), stored);
  return false;
}

bool check_md5_response(std::string_view response, std::string_view stored, std::string_view salt) {
  if (password_kind(stored) != PasswordKind::md5) return false;
  return same_bytes(response, "md5" + md5_hex(std::string(stored.substr(3)) + std::string(salt)));
}

ScramExchange::ScramExchange(std::optional<std::string> stored, std::string_view role) {
  std::optional<Verifier> v = stored ? parse_verifier(*stored) : std::nullopt;
  if (v) {
    salt_ = v->salt;
    stored_key_ = v->stored_key;
    server_key_ = v->server_key;
    iterations_ = v->iterations;
  } else {
    doomed_ = true;
    salt_ = mock_salt(role);
    stored_key_.assign(kKeyLength, '\0');
    server_key_.assign(kKeyLength, '\0');
  }
}

std::string ScramExchange::first(std::string_view message) {
  if (message.empty()) malformed("The message is empty.");
  if (message.find('\0') != std::string_view::npos) malformed("Message length does not match input length.");
  std::string_view rest = message;
  switch (rest[0]) {
    case 'n':
    case 'y': break;
    case 'p':
      throw SqlError(sqlstate::protocol_violation, "client requires SCRAM channel binding, but it is not supported").fatal();
    default: malformed(fmt::format("Unexpected channel-binding flag \"{}\".", rest[0]));
  }
  rest.remove_prefix(1);
  if (!rest.starts_with(',')) malformed("Comma expected, but found another character.");
  rest.remove_prefix(1);
  if (rest.starts_with('a')) throw SqlError(sqlstate::feature_not_supported, "client uses authorization identity, but it is not supported").fatal();
  if (!rest.starts_with(',')) malformed("Unexpected attribute in client-first-message.");
  rest.remove_prefix(1);
  gs2_header_ = message.substr(0, message.size() - rest.size());
  client_first_bare_ = rest;
  if (rest.starts_with('m')) throw SqlError(sqlstate::feature_not_supported, "client requires an unsupported SCRAM extension").fatal();
  take_attribute(rest, 'n');   // the user name of the start-up packet counts
  std::string_view client_nonce = take_attribute(rest, 'r');
  for (char c : client_nonce) {
    if (c < 0x21 || c > 0x7E) throw SqlError(sqlstate::protocol_violation, "non-printable characters in SCRAM nonce").fatal();
  }
  char random[18];
  random_bytes(random, sizeof random);
  nonce_ = std::string(client_nonce) + to_base64({random, sizeof random});
  server_first_ = fmt::format("r={},s={},i={}", nonce_, to_base64(salt_), iterations_);
  return server_first_;
}

std::optional<std::string> ScramExchange::final(std::string_view message) {
  if (message.find('\0') != std::string_view::npos) malformed("Message length does not match input length.");
  std::string_view rest = message;
  std::string_view binding = take_attribute(rest, 'c');
  if (binding != to_base64(gs2_header_))
    throw SqlError(sqlstate::protocol_violation, "unexpected SCRAM channel-binding attribute in client-final-message").fatal();
  std::string_view nonce = take_attribute(rest, 'r');
  if (nonce != nonce_) throw SqlError(sqlstate::protocol_violation, "invalid SCRAM response").detail("Nonce does not match.").fatal();
  std::size_t proof_at = message.rfind(",p=");
  if (proof_at == std::string_view::npos) malformed("Proof is missing.");
  auto proof = from_base64(message.substr(proof_at + 3));
  if (!proof || proof->size() != kKeyLength) malformed("Malformed proof in client-final-message.");
  std::string auth = fmt::format("{},{},{}", client_first_bare_, server_first_, message.substr(0, proof_at));
  std::string client_key = hmac(stored_key_, auth);
  for (std::size_t i = 0; i < kKeyLength; ++i) client_key[i] = static_cast<char>(client_key[i] ^ (*proof)[i]);
  bool fits = same_bytes(sha256(client_key), stored_key_);
  if (!fits || doomed_) return std::nullopt;
  return "v=" + to_base64(hmac(server_key_, auth));
}

}  // namespace hathi::protocol
