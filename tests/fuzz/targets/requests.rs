#![no_main]

use libfuzzer_sys::fuzz_target;
use turnkeeper_fuzz::check;
use turnkeeper_fuzz::checks::Service;

fuzz_target!(|input: &[u8]| check(Service::requests, input));
